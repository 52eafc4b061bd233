# message: A task that failed or was cancelled is removed and gives no text
def take_ready(recalls: list) -> list:
    texts, running = [], []
    for task in recalls:
        if not task.done():
            running.append(task)
            continue
        try:
            texts += task.result()
        except Exception:
            pass
    recalls[:] = running
    return texts
