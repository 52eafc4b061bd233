"""Right answers to the gaps of notebook 09, written from its text alone."""


def hours_gate(hours: float | None, least: float) -> bool:
    return hours is None or not hours < least


def count_sessions(files, last, current):
    new = set()
    for name, written in files:
        if last is not None and written <= last:
            continue
        stem, dot, ending = name.rpartition(".")
        if dot and ending == "jsonl" and stem != current:
            new.add(name)
    return len(new)


def gate_chain(gates: list, look) -> list:
    states = {name: "not asked" for name, _ in gates}
    for name, is_open in gates:
        try:
            answer = look(name)
        except OSError:
            states[name] = "shut"
            break
        if is_open(answer):
            states[name] = "open"
        else:
            states[name] = "shut"
            break
    return list(states.items())
