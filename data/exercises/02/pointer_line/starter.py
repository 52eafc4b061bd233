def pointer_line(file: str, title: str, hook: str) -> str:
    """Return the line of the index for one memory, without a newline.

    Title and hook are each one line, and are written as they are.

    >>> pointer_line("tabs.md", "Tabs", "before writing code")
    '- [Tabs](tabs.md) — before writing code'
    >>> pointer_line("tabs.md", "Tabs", "")
    '- [Tabs](tabs.md)'
    """
    ...
