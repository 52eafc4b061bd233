# message: After a shut gate, neither look nor is_open is called
def gate_chain(gates, look):
    states = []
    asking = True
    for name, is_open in gates:
        if not asking:
            states.append((name, "not asked"))
            continue
        try:
            answer = look(name)
        except OSError:
            states.append((name, "shut"))
            continue
        asking = is_open(answer)
        states.append((name, "open" if asking else "shut"))
    return states
