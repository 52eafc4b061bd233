def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    """Return the names whose bytes fit into what is left, in their order.

    One that does not fit is passed over, and the next one is tried.

    >>> fits_budget([("a.md", 300), ("b.md", 900), ("c.md", 200)], 600)
    ['a.md', 'c.md']
    """
    ...
