# message: If look raises OSError, the gate is shut, and is_open is not called
def gate_chain(gates, look):
    result = []
    for name, is_open in gates:
        if result and result[-1][1] != "open":
            result.append((name, "not asked"))
            continue
        try:
            answer = look(name)
        except OSError:
            answer = None
        result.append((name, "open" if is_open(answer) else "shut"))
    return result
