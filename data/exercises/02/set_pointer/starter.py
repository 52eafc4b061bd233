def set_pointer(index: str, file: str, line: str) -> str:
    r"""Return the index with a file's new line.

    The index is the text of MEMORY.md. It is empty, or it ends with "\n".
    A pointer is a line that begins with "- [" and contains "](". The file it
    points to is the text between the first "](" and the next ")".

    >>> set_pointer("# Notes\n- [A](a.md) — x\n", "b.md", "- [B](b.md)")
    '# Notes\n- [B](b.md)\n- [A](a.md) — x\n'
    >>> set_pointer("- [A](a.md) — x\n- [B](b.md)\n", "b.md", "- [B](b.md) — y")
    '- [A](a.md) — x\n- [B](b.md) — y\n'
    >>> set_pointer("", "a.md", "- [A](a.md)")
    '- [A](a.md)\n'
    """
    ...
