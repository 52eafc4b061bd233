# message: A task that failed or was cancelled is removed and gives no text
def take_ready(recalls: list) -> list:
    texts = []
    for task in tuple(recalls):
        if not task.done():
            continue
        recalls.remove(task)
        if task.cancelled() or task.exception() is not None:
            return texts
        texts.extend(task.result())
    return texts
