# message: take quotes away before you compare
def my_is_read_only_command(command, options):
    if set(command) & set(";&<>$`(){}~#!") or not command.isprintable():
        return False
    stages = [stage.split() for stage in command.split("|")]
    return all(
        stage
        and stage[0] in options
        and "-delete" not in stage
        and "-f" not in stage
        for stage in stages
    )
