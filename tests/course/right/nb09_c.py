"""More right answers for notebook 09, written from its text alone."""


def hours_gate(hours: float | None, least: float) -> bool:
    if hours is None:
        return True
    return hours >= least


def count_sessions(files: list[tuple[str, float]], last: float | None, current: str) -> int:
    count = 0
    for name, mtime in files:
        if not name.endswith(".jsonl"):
            continue
        session = name[: -len(".jsonl")]
        if session == current:
            continue
        if last is not None and mtime <= last:
            continue
        count += 1
    return count


def gate_chain(gates: list, look) -> list:
    result = []
    shut = False
    for name, is_open in gates:
        if shut:
            result.append((name, "not asked"))
            continue
        try:
            answer = look(name)
        except OSError:
            shut = True
        else:
            shut = not is_open(answer)
        result.append((name, "shut" if shut else "open"))
    return result
