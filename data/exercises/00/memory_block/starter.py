def memory_block(file: str, text: str) -> str:
    r"""Return the block for a memory file: its name, and its text between tags.

    White space at the beginning and at the end of the text is left out.
    Everything between stays as it is. If nothing is left of the text, return
    an empty string.

    >>> print(memory_block("note.md", "I like my code with tabs.\n"))
    <system-reminder>
    This is from your memory.
    <memory file="note.md">
    I like my code with tabs.
    </memory>
    </system-reminder>
    >>> memory_block("empty.md", "\n")
    ''
    """
    ...
