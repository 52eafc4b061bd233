# message: you raised OSError
def gate_chain(gates, look):
    result = []
    shut = False
    for name, is_open in gates:
        state = "not asked"
        if not shut:
            try:
                state = "open" if is_open(look(name)) else "shut"
            except FileNotFoundError:
                state = "shut"
            shut = state == "shut"
        result.append((name, state))
    return result
