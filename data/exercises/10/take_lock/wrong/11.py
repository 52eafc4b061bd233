# message: Rule 2: look once
from memlab.course import my


def take_lock(lock, pid, token):
    while True:
        with lock.guard():
            text = lock.read()
            if text is None or my.is_stale(text, lock.hours(), lock.alive):
                last = lock.last()
                before = "none" if last is None else last
                lock.replace(f"{pid}\ntoken {token}\nbefore {before}\n")
                return True
