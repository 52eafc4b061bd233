def manifest_line(header, width: int) -> str:
    """Write type, file name, time and description of a memory.

    A header has type (or None), filename, mtime (a datetime) and description.
    Line ends and other control characters become spaces. A description longer
    than width is cut: shorten(text, width) of memlab.text does that.

    >>> manifest_line(header, 80)
    '- [user] tabs.md (2026-03-29T12:33:00Z): how code is indented'
    """
    ...
