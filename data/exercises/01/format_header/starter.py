def format_header(name: str, description: str, type: str) -> str:
    r"""Return the header of a memory, with both of its --- lines.

    >>> print(format_header("Tabs", "Deploy: no", "feedback"), end="")
    ---
    name: Tabs
    description: "Deploy: no"
    type: feedback
    ---
    >>> format_header("yes", "2026-04-04", "user")
    '---\nname: "yes"\ndescription: "2026-04-04"\ntype: user\n---\n'
    """
    ...
