# message: one block of the guard
from memlab.course import my


def take_lock(lock, pid, token):
    text = lock.read()
    if text is not None and not my.is_stale(text, lock.hours(), lock.alive):
        return False
    before = lock.last()
    if before is None:
        before = "none"
    with lock.guard():
        lock.replace(f"{pid}\ntoken {token}\nbefore {before}\n")
    return True
