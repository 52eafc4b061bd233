def manifest_line(header) -> str:
    r"""Write one memory as one line: type, file name, time, description.

    A header has these attributes: type (user, feedback, project, reference,
    or None), filename, mtime (a datetime in UTC) and description.

    Without a type, there are no square brackets either. The time is written
    without fractions of a second, and with a Z at the end, which means UTC.

    White space of any kind in the description (spaces, tabs, line endings),
    however much of it, becomes one space, and there is none at the beginning
    or the end. Line endings in the file name become a space, too.

    >>> manifest_line(header)
    '- [user] ferry.md (2026-03-18T15:40:02Z): Robin has to catch the 17:10 ferry'
    >>> manifest_line(header)  # no type; the description is 'One\r\n\n  two '
    '- notes.md (2026-03-18T15:40:02Z): One two'
    """
    ...
