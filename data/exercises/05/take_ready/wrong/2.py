# message: A task that failed or was cancelled is removed and gives no text
def take_ready(recalls: list) -> list:
    ended = [task for task in recalls if task.done()]
    recalls[:] = [task for task in recalls if not task.done()]
    texts = []
    for task in ended:
        if task.exception() is None:
            texts.extend(task.result())
    return texts
