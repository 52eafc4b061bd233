# message: Only the characters of rule 2
import shlex


def is_read_only_command(command, options):
    if len(command) > 4_000 or not command.isascii():
        return False
    if not command.isprintable() or set(command) & set(";&<>$`(){}~#!\\^%@+"):
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
