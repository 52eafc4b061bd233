# message: Each gate has a state, also those that were not asked
def gate_chain(gates, look):
    result = []
    for i, (name, is_open) in enumerate(gates):
        try:
            opened = is_open(look(name))
        except OSError:
            opened = False
        result.append((name, "open" if opened else "shut"))
        if not opened:
            if i + 1 < len(gates):
                result.append((gates[i + 1][0], "not asked"))
            break
    return result
