def read_choice(answer: str) -> list[str]:
    """Return the file names under selected_memories in a model's answer.

    The JSON object reaches from the first { to the last } of the answer; text
    before and after it is ignored. Each name is returned without white space
    around it. Nothing else is changed: what the names mean is checked later.

    Raise ValueError if there is no such object, if it is not valid JSON, if it
    has no key selected_memories, or if the value of that key is not a list.
    Each entry of a list is a string, so you don't have to check that.

    >>> read_choice('{"selected_memories": ["tabs.md", " ferry.md"]}')
    ['tabs.md', 'ferry.md']
    >>> read_choice('Here you are: {"selected_memories": []} Bye!')
    []
    """
    ...
