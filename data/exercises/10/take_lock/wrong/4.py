# message: one block of the guard
from memlab.course import my


def take_lock(lock, pid, token):
    text = lock.read()
    if text is not None and not my.is_stale(text, lock.hours(), lock.alive):
        return False
    last = lock.last()
    before = "none" if last is None else last
    ours = f"{pid}\ntoken {token}\nbefore {before}\n"
    lock.replace(ours)
    return lock.read() == ours
