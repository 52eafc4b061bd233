# message: expected
def gate_chain(gates, look):
    states = []
    shut = False
    for name, is_open in gates:
        if shut:
            states.append((name, "not asked"))
            continue
        try:
            shut = not is_open(look(name))
        except OSError:
            states.append((name, "not asked"))
            shut = True
            continue
        states.append((name, "shut" if shut else "open"))
    return states
