def count_sessions(
    files: list[tuple[str, float]], last: float | None, current: str
) -> int:
    count = 0
    for name, written in files:
        if not name.endswith(".jsonl") or name == f"{current}.jsonl":
            continue
        if last is None or written > last:
            count += 1
    return count
