# message: keep the other memories
def my_quiet_loss(memories, file):
    return {f: "style preferences " * 20 for f in memories}
