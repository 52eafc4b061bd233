def count_sessions(
    files: list[tuple[str, float]], last: float | None, current: str
) -> int:
    """Count the transcripts, NAME.jsonl, that were written to after the last
    dream.

    files has names and times. last is the time of the last dream, None if
    there was none. The session named current does not count.

    >>> files = [("mon.jsonl", 5.0), ("tue.jsonl", 9.0), ("notes.txt", 9.0)]
    >>> count_sessions(files, 7.0, "wed")
    1
    """
    ...
