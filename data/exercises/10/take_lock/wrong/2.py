# message: Rule 5
from memlab.course import my


def take_lock(lock, pid, token):
    with lock.guard():
        text = lock.read()
        if text is not None and not my.is_stale(
            text, lock.hours(), lock.alive
        ):
            return False
        before = lock.last()
        if before is None:
            before = "none"
        lock.write(f"{pid}\ntoken {token}\nbefore {before}\n")
        return True
