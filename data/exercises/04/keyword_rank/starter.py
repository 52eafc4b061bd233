def keyword_rank(query: str, headers: list, limit: int) -> list:
    """Return the headers that share a stem with the query, best first.

    A header has name, description, filename and mtime (a datetime). Its stems
    are those of its name and its description together. Its score is the sum
    of weight(count, total) over the stems that it shares with the query, each
    counted once. count is how many of the headers contain the stem, and total
    is how many headers there are.

    A header that shares no stem is left out. If scores are equal, the newer
    header comes first, and if the times are equal too, the file names decide
    (a.md before b.md). At most limit headers are returned.

    >>> keyword_rank("How are you?", headers, 5)
    []
    """
    ...
