def my_lost_pointer(index: str, file: str, max_lines: int) -> str:
    """Say of a file's pointer whether it is "shown", "cut" off by the line
    cap, or "missing".

    >>> my_lost_pointer("- [A](a.md) — x\n- [B](b.md) — y\n", "b.md", 1)
    'cut'
    >>> my_lost_pointer("- [A](a.md) — x\n", "c.md", 1)
    'missing'
    """
    raise NotImplementedError
