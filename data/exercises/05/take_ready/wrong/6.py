# message: Tasks that are still running stay in recalls
def take_ready(recalls: list) -> list:
    while not all(task.done() for task in recalls):
        pass
    ready = list(recalls)
    recalls.clear()
    texts = []
    for task in ready:
        if not task.cancelled() and task.exception() is None:
            texts += task.result()
    return texts
