# message: Rule 3
from memlab.course import my


def take_lock(lock, pid, token):
    with lock.guard():
        text = lock.read()
        if text is not None and not my.is_stale(
            text, lock.hours(), lock.alive
        ):
            return False
        lock.replace(f"{pid}\ntoken {token}\nbefore {lock.last() or 'none'}\n")
        return True
