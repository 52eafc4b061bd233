def count_sessions(
    files: list[tuple[str, float]], last: float | None, current: str
) -> int:
    """Count the sessions that no dream has seen.

    >>> files = [("mon.jsonl", 5.0), ("tue.jsonl", 9.0), ("notes.txt", 9.0)]
    >>> count_sessions(files, 7.0, "wed")
    1
    >>> count_sessions(files, None, "tue")
    1
    """
    ...
