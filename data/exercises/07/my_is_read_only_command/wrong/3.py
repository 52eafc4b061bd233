# message: only if it is listed for its program
import shlex


def my_is_read_only_command(command, options):
    if set(command) & set(";&<>$`(){}~#!") or not command.isprintable():
        return False
    try:
        stages = [shlex.split(stage) for stage in command.split("|")]
    except ValueError:
        return False
    return all(stage and stage[0] in options for stage in stages)
