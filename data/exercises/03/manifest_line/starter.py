def manifest_line(header) -> str:
    r"""Write one memory as one line: type, file name, time, description.

    A header has these attributes: type (a text, or None if the memory has no
    type), filename, mtime (a datetime in UTC) and description.

    A memory without a type has no square brackets. White space of any kind
    in a file name or description (spaces, tabs, line ends), however much of
    it, becomes one space, and there is none at the beginning or the end.

    >>> manifest_line(header)
    '- [user] last-ferry-home.md (2026-03-18T15:40:02Z): Robin has to catch the 17:10 ferry'
    >>> manifest_line(header)  # no type; the description is 'One\r\n\n  two '
    '- notes.md (2026-03-18T15:40:02Z): One two'
    """
    ...
