# message: you raised OSError
def gate_chain(gates, look):
    states = []
    shut = False
    for name, is_open in gates:
        if shut:
            states.append((name, "not asked"))
            continue
        shut = not is_open(look(name))
        states.append((name, "shut" if shut else "open"))
    return states
