# message: Rules 1 and 2
from memlab.course import my


def take_lock(lock, pid, token):
    with lock.guard():
        text = lock.read()
        if text and not my.is_stale(text, lock.hours(), lock.alive):
            return False
        last = lock.last()
        before = "none" if last is None else last
        lock.replace(f"{pid}\ntoken {token}\nbefore {before}\n")
        return True
