# message: A line ending is not among the characters of rule 2, even at the end
import re
import shlex


def is_read_only_command(command: str, options: dict) -> bool:
    if len(command) > 4000:
        return False
    if not re.match(r"""^[a-zA-Z0-9 ._\-/,:=|'"]*$""", command):
        return False
    for stage in command.split("|"):
        try:
            words = shlex.split(stage)
        except ValueError:
            return False
        if not words:
            return False
        program = words[0]
        if program not in options:
            return False
        for word in words[1:]:
            if word.startswith("-") and word not in options[program]:
                return False
    return True
