# message: RuntimeError
import time


def take_ready(recalls: list) -> list:
    deadline = time.monotonic() + 1
    while not all(task.done() for task in recalls) and time.monotonic() < deadline:
        time.sleep(0.01)
    ready = [task for task in recalls if task.done()]
    recalls[:] = [task for task in recalls if not task.done()]
    return [text for task in ready
            if not task.cancelled() and task.exception() is None
            for text in task.result()]
