from memlab.course import my


def take_lock(lock, pid: int, token: str) -> bool:
    with lock.guard():
        text = lock.read()
        if text is not None:
            if not my.is_stale(text, lock.hours(), lock.alive):
                return False
        before = lock.last()
        if before is None:
            before = "none"
        lock.replace(f"{pid}\ntoken {token}\nbefore {before}\n")
        return True
