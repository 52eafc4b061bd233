def format_header(name: str, description: str, type: str) -> str:
    """Write the header of a memory, with its two --- lines.

    A value that YAML would read otherwise is put in double quotes; json.dumps
    does that.

    >>> print(format_header("Tabs", "Deploy: never on Friday", "feedback"), end="")
    ---
    name: Tabs
    description: "Deploy: never on Friday"
    type: feedback
    ---
    """
    ...
