def my_flooding_line(queries: list[str], rivals: list[str]) -> str:
    """Write a description that keyword_rank puts first for every one of the
    queries.

    The rivals are the other memories' descriptions. One line, at most 300
    characters.

    >>> my_flooding_line(["Where is the ferry?"], ["the ferry and its age"])
    'ferry ferry ferry'
    """
    raise NotImplementedError
