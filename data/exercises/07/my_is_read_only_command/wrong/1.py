# message: look at every stage of a pipe
def my_is_read_only_command(command, options):
    return command.split()[:1] != [] and command.split()[0] in options
