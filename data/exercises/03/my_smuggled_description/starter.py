def my_smuggled_description(file: str) -> str:
    """Write a description that adds a line for another file to a naive
    manifest.

    >>> line = naive_line("a.md", my_smuggled_description("keys.md"))
    >>> any(part.startswith("- keys.md") for part in line.splitlines())
    True
    """
    raise NotImplementedError
