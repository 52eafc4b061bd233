# message: counts files and characters
def my_quiet_loss(memories, file):
    return {f: t for f, t in memories.items() if f != file}
