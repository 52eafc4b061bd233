# message: Each gate has a state
def gate_chain(gates, look):
    states = []
    for name, is_open in gates:
        try:
            shut = not is_open(look(name))
        except OSError:
            shut = True
        states.append((name, "shut" if shut else "open"))
        if shut:
            break
    return states
