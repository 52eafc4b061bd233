def set_pointer(index: str, file: str, line: str) -> str:
    """Put a memory's line into the index.

    If a line of the index points to the file, the new line takes its place.
    Otherwise the new line goes above the first pointer, or to the end if there
    is none. A pointer begins with "- [" and contains "](tabs.md)".

    >>> set_pointer("# Mine\n- [A](a.md) — x\n", "b.md", "- [B](b.md)")
    '# Mine\n- [B](b.md)\n- [A](a.md) — x\n'
    >>> set_pointer("- [A](a.md) — x\n", "a.md", "- [A](a.md) — y")
    '- [A](a.md) — y\n'
    """
    ...
