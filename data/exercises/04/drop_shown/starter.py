def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    """Return the names that this session has not been shown, each once, in
    their order.

    >>> drop_shown(["tabs.md", "ferry.md", "tabs.md"], ["ferry.md"])
    ['tabs.md']
    """
    ...
