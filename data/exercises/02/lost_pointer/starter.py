from memlab.course import my


def lost_pointer(index: str, file: str, max_lines: int, max_bytes: int) -> str:
    r"""Return "shown", "cut" or "missing", for the pointer to one file.

    A pointer is a line that begins with "- [" and contains "](" and then ")".
    The file it points to is the text between the first "](" and the next ")".
    No file has two pointers. Every line of the index ends with "\n", no
    other character ends a line, and none is longer than max_bytes.

    >>> lost_pointer("- [A](a.md) — x\n- [B](b.md) — y\n", "b.md", 1, 100)
    'cut'
    >>> lost_pointer("- [A](a.md) — x\n- [B](b.md) — y\n", "b.md", 2, 100)
    'shown'
    >>> lost_pointer("- [A](a.md) — x\n", "c.md", 2, 100)
    'missing'
    """
    ...
