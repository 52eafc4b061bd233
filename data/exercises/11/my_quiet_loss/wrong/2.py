# message: counts files and characters
def my_quiet_loss(memories, file):
    return {**memories, file: "(merged)"}
