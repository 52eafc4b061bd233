def parse_header(text: str) -> dict[str, str]:
    r"""Read a memory file into name, description, type and body.

    >>> parse_header('---\nname: "Deploy: no"\ntype: project\n---\nNever.\n')
    {'name': 'Deploy: no', 'description': '', 'type': 'project', 'body': 'Never.\n'}
    >>> parse_header('---\r\nname: yes\r\nmetadata:\r\n  type: user\r\n---\r\nHi')
    {'name': 'yes', 'description': '', 'type': 'user', 'body': 'Hi'}
    >>> parse_header("no header")
    {'name': '', 'description': '', 'type': '', 'body': ''}
    """
    ...
