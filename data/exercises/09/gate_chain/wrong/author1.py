# message: After a shut gate, neither look nor is_open is called
def gate_chain(gates, look):
    answers = {name: look(name) for name, _ in gates}
    states = []
    shut = False
    for name, is_open in gates:
        if shut:
            states.append((name, "not asked"))
        else:
            shut = not is_open(answers[name])
            states.append((name, "shut" if shut else "open"))
    return states
