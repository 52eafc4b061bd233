"""Right answers to the gaps of notebook 09, each of which stands alone."""


def hours_gate(hours, least):
    if hours is None:
        return True
    return hours >= least


def count_sessions(files, last, current):
    new = set()
    for name, written in files:
        if last is not None and written <= last:
            continue
        stem, dot, ending = name.rpartition(".")
        if dot and ending == "jsonl" and stem != current:
            new.add(name)
    return len(new)


def gate_chain(gates, look):
    result = []
    asking = True
    for name, is_open in gates:
        state = "not asked"
        if asking:
            try:
                answer = look(name)
                asking = bool(is_open(answer))
            except OSError:
                asking = False
            state = "open" if asking else "shut"
        result.append((name, state))
    return result
