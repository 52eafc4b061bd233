def gate_chain(gates: list, look) -> list:
    states = []
    shut = False
    for name, is_open in gates:
        if shut:
            states.append((name, "not asked"))
            continue
        try:
            answer = look(name)
        except OSError:
            shut = True
        else:
            shut = not is_open(answer)
        states.append((name, "shut" if shut else "open"))
    return states
