import shlex
import string

ALLOWED = set(string.ascii_letters + string.digits + " ._-/,:=|'\"")


def is_read_only_command(command: str, options: dict) -> bool:
    if len(command) > 4_000:
        return False
    for character in command:
        if character not in ALLOWED:
            return False
    for stage in command.split("|"):
        try:
            words = shlex.split(stage)
        except ValueError:
            return False
        if not words or words[0] not in options:
            return False
        for word in words[1:]:
            if word.startswith("-") and word not in options[words[0]]:
                return False
    return True
