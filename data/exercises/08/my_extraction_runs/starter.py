def my_extraction_runs(turns: list, seconds: int) -> list:
    """List the runs as (start, first message, last message).

    turns has (end of the turn, messages so far), oldest first. A run starts
    when a turn ends, takes some seconds, and covers the messages after the
    last one covered. Of the turns that end during a run, the newest waits: its
    run starts when that one ends, and before a turn that ends just then. A
    turn without a new message starts none.

    >>> my_extraction_runs([(0, 2), (1, 4), (2, 6), (60, 8)], 10)
    [(0, 1, 2), (10, 3, 6), (60, 7, 8)]
    """
    raise NotImplementedError
