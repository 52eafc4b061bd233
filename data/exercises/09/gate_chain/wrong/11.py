# message: you raised FileNotFoundError
def gate_chain(gates, look):
    if not gates:
        return []
    *first, (last_name, last_open) = gates
    result = []
    for i, (name, is_open) in enumerate(first):
        try:
            opened = is_open(look(name))
        except OSError:
            opened = False
        if not opened:
            result.append((name, "shut"))
            return result + [(n, "not asked") for n, _ in gates[i + 1 :]]
        result.append((name, "open"))
    result.append(
        (last_name, "open" if last_open(look(last_name)) else "shut")
    )
    return result
