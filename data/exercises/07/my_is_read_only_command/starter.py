def my_is_read_only_command(command: str, options: dict) -> bool:
    """Tell whether a command can do nothing but read.

    options has the programs that may run, each with the options it may have.
    Programs may be joined by |. Refuse what you do not know: a text of over
    4,000 characters, characters that are not printable, anything a shell would
    expand or obey.

    >>> my_is_read_only_command("ls -l | wc -l", {"ls": {"-l"}, "wc": {"-l"}})
    True
    >>> my_is_read_only_command("ls -l > a.md", {"ls": {"-l"}, "wc": {"-l"}})
    False
    """
    raise NotImplementedError
