# message: that the caller never sees
def take_ready(recalls: list) -> list:
    texts = []
    for task in recalls:
        if task.done() and not task.cancelled() and task.exception() is None:
            texts.extend(task.result())
    recalls = [task for task in recalls if not task.done()]
    return texts
