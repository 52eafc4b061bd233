def pointer_line(file: str, title: str, hook: str) -> str:
    """Write one line of the index.

    >>> pointer_line("tabs.md", "Tabs", "before writing code")
    '- [Tabs](tabs.md) — before writing code'
    >>> pointer_line("tabs.md", "Tabs", "")
    '- [Tabs](tabs.md)'
    """
    ...
