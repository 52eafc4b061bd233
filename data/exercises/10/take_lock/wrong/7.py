# message: Rule 5
from memlab.course import my


def take_lock(lock, pid, token):
    with lock.guard():
        text = lock.read()
        if text is not None and not my.is_stale(
            text, lock.hours(), lock.alive
        ):
            return False
        last = lock.last()
        before = "none" if last is None else last
        content = ""
        for line in (f"{pid}", f"token {token}", f"before {before}"):
            content += line + "\n"
            lock.replace(content)
        return True
