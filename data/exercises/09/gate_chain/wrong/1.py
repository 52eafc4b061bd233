# message: Only OSError is caught; any other exception has to come through
def gate_chain(gates, look):
    result = []
    shut = False
    for name, is_open in gates:
        if shut:
            result.append((name, "not asked"))
            continue
        try:
            shut = not is_open(look(name))
        except Exception:
            shut = True
        result.append((name, "shut" if shut else "open"))
    return result
