# message: None and 0 are answers, too: call is_open with them
def gate_chain(gates, look):
    result = []
    shut = False
    for name, is_open in gates:
        if shut:
            result.append((name, "not asked"))
            continue
        try:
            answer = look(name)
        except OSError:
            answer = None
        if answer and is_open(answer):
            result.append((name, "open"))
        else:
            result.append((name, "shut"))
            shut = True
    return result
