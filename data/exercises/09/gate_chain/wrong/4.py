# message: Each gate has a state, also those that were not asked
def gate_chain(gates, look):
    result = []
    for i, (name, is_open) in enumerate(gates):
        try:
            answer = look(name)
        except OSError:
            result.append((name, "shut"))
            return result
        if not is_open(answer):
            result.append((name, "shut"))
            result.extend((other, "not asked") for other, _ in gates[i + 1 :])
            return result
        result.append((name, "open"))
    return result
