# message: Each gate has a state, also those that were not asked
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
