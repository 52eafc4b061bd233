# message: safe and useless
def my_is_read_only_command(command, options):
    return False
