def hidden_delete(forbidden: list[str]) -> str:
    r"""Return a command that deletes files and contains no forbidden string.

    There are many right answers. These are two of them:

    >>> hidden_delete(["rm", "&&", ">>"])
    'find . -delete'
    >>> hidden_delete(["rm", "-delete", '"'])
    "find . -del'ete'"
    """
    ...
