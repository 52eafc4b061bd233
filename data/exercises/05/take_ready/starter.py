def take_ready(recalls: list) -> list:
    """Remove the tasks that have ended; return the texts of the successful ones.

    >>> recalls = [done(["ferry"]), running(), done(["tabs", "sql"])]
    >>> take_ready(recalls)
    ['ferry', 'tabs', 'sql']
    >>> recalls
    [running()]
    """
    ...
