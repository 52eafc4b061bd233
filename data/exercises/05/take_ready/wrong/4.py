# message: A task that failed or was cancelled is removed and gives no text
def take_ready(recalls: list) -> list:
    texts = []
    for task in list(recalls):
        if task.done() and (task.cancelled() or task.exception() is None):
            recalls.remove(task)
            if not task.cancelled():
                texts.extend(task.result())
    return texts
