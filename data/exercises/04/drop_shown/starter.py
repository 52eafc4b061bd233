def drop_shown(names: list[str], shown: list[str]) -> list[str]:
    """Return the names that are not in shown, in the same order.

    A name that was chosen twice is returned once, at its first place.

    >>> drop_shown(["tabs.md", "ferry.md", "tabs.md"], ["ferry.md"])
    ['tabs.md']
    """
    ...
