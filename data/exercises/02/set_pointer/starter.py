def set_pointer(index: str, file: str, line: str) -> str:
    r"""Return the index with a file's new line.

    The index is empty, or each of its lines ends with "\n". No other character
    ends a line. The new line comes without "\n". A pointer is a line that
    begins with "- [" and contains "](" and then ")". The file it points to is
    the text between the first "](" and the next ")". The index has at most one
    pointer to a file, and no line with a link is indented.

    >>> set_pointer("# Notes\n- [A](a.md) — x\n", "b.md", "- [B](b.md)")
    '# Notes\n- [B](b.md)\n- [A](a.md) — x\n'
    >>> set_pointer("- [A](a.md) — x\n- [B](b.md)\n", "b.md", "- [B](b.md) — y")
    '- [A](a.md) — x\n- [B](b.md) — y\n'
    >>> set_pointer("", "a.md", "- [A](a.md)")
    '- [A](a.md)\n'
    """
    ...
