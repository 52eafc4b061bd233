"""Right answers for notebook 09, written from its text alone."""


def hours_gate(hours: float | None, least: float) -> bool:
    return hours is None or not hours < least


def count_sessions(files: list[tuple[str, float]], last: float | None, current: str) -> int:
    if last is None:
        last = float("-inf")
    unseen = {
        name
        for name, written in files
        if name[-6:] == ".jsonl" and name != current + ".jsonl" and written > last
    }
    return len(unseen)


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
