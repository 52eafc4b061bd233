def is_read_only_command(command: str, options: dict) -> bool:
    """Tell whether a command can do nothing but read.

    >>> options = {"ls": {"-l"}, "grep": {"-n"}, "wc": {"-l"}, "stat": set()}
    >>> is_read_only_command("ls -l tests | wc -l", options)
    True
    >>> is_read_only_command("ls -l tests > list.txt", options)
    False
    >>> is_read_only_command("grep -n 'a > b' list.txt", options)
    False
    """
    ...
