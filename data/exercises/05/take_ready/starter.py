def take_ready(recalls: list) -> list:
    """Remove the tasks that have ended; return what the successful ones found.

    Here, done and running describe tasks:

    >>> recalls = [done(["ferry"]), running(), done(["tabs", "sql"])]
    >>> take_ready(recalls)
    ['ferry', 'tabs', 'sql']
    >>> recalls
    [running()]
    """
    ...
