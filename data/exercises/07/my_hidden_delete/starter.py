def my_hidden_delete(forbidden: list[str]) -> str:
    """Give a find command that deletes files and holds none of the forbidden
    texts.

    It deletes by -delete, or by -exec with rm. What counts are the words that
    find gets once quotes and backslashes are gone.

    >>> my_hidden_delete(["rm", ";", ">"])
    'find . -delete'
    """
    raise NotImplementedError
