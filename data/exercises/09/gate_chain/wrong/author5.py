# message: look and is_open are called once for a gate that is asked
def gate_chain(gates, look):
    states = []
    shut = False
    for name, is_open in gates:
        if shut:
            states.append((name, "not asked"))
            continue
        try:
            if is_open(look(name)):
                states.append((name, "open"))
            if not is_open(look(name)):
                states.append((name, "shut"))
                shut = True
        except OSError:
            states.append((name, "shut"))
            shut = True
    return states
