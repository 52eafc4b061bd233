# message: Tasks that are still running stay in recalls, in the same order
def take_ready(recalls: list) -> list:
    texts, running = [], []
    while recalls:
        task = recalls.pop()
        if not task.done():
            running.append(task)
        elif not task.cancelled() and task.exception() is None:
            texts = task.result() + texts
    recalls.extend(running)
    return texts
