# message: Every task that has ended is removed, also the one after another
def take_ready(recalls: list) -> list:
    texts = []
    for task in recalls:
        if task.done():
            recalls.remove(task)
            if not task.cancelled() and task.exception() is None:
                texts.extend(task.result())
    return texts
