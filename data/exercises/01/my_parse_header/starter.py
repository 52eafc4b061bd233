def my_parse_header(text: str) -> dict[str, str]:
    """Read a memory file into name, description, type and body, all of them
    text.

    >>> my_parse_header('---\nname: "Deploy: no"\ntype: project\n---\nNever.\n')
    {'name': 'Deploy: no', 'description': '', 'type': 'project', 'body': 'Never.\n'}
    >>> my_parse_header("no frontmatter")
    {'name': '', 'description': '', 'type': '', 'body': ''}
    """
    raise NotImplementedError
