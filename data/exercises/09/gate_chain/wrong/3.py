# message: If look raises OSError, the gate is shut, and is_open is not called
def gate_chain(gates, look):
    states = {i: "not asked" for i in range(len(gates))}
    for i, (name, is_open) in enumerate(gates):
        try:
            answer = look(name)
        except OSError:
            break
        if not is_open(answer):
            states[i] = "shut"
            break
        states[i] = "open"
    return [(name, states[i]) for i, (name, _) in enumerate(gates)]
