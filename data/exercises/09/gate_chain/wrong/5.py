# message: look and is_open are called once for a gate that is asked
def gate_chain(gates, look):
    def readable(name):
        try:
            look(name)
        except OSError:
            return False
        return True

    result, shut = [], False
    for name, is_open in gates:
        if shut:
            state = "not asked"
        elif readable(name) and is_open(look(name)):
            state = "open"
        else:
            state = "shut"
            shut = True
        result.append((name, state))
    return result
