# message: one block of the guard
from memlab.course import my


def take_lock(lock, pid, token):
    text = lock.read()
    if text is not None and not my.is_stale(text, lock.hours(), lock.alive):
        return False
    with lock.guard():
        last = lock.last()
        before = "none" if last is None else last
        lock.replace(f"{pid}\ntoken {token}\nbefore {before}\n")
    return True
