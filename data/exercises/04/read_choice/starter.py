def read_choice(answer: str) -> list[str]:
    """Return the names under selected_memories in the JSON object of an
    answer, each without white space around it.

    Raise ValueError if there is no such list.

    >>> read_choice('{"selected_memories": ["tabs.md", " ferry.md"]}')
    ['tabs.md', 'ferry.md']
    >>> read_choice('Here you are: {"selected_memories": []}')
    []
    """
    ...
