def fits_budget(sizes: list[tuple[str, int]], left: int) -> list[str]:
    """Return the names of the memories that fit into the bytes that are left.

    sizes has the name and the size in bytes of each memory, most useful first.
    Go through them in this order: a memory that fits is taken and uses up its
    bytes, and one that doesn't fit is passed over. Return the names in this
    order, too.

    >>> fits_budget([("a.md", 300), ("b.md", 900), ("c.md", 200)], 600)
    ['a.md', 'c.md']
    """
    ...
