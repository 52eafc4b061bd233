"""More right answers for notebook 10, written from its text alone."""


def is_stale(text: str, hours: float, alive) -> bool:
    lines = text.splitlines()
    if "done" in lines[1:]:
        return True
    if hours >= 1:
        return True
    if not lines:
        return False
    first = lines[0]
    if not (first.isascii() and first.isdigit()):
        return False
    pid = int(first)
    if pid == 0:
        return False
    return not alive(pid)


def take_lock(lock, pid: int, token: str) -> bool:
    with lock.guard():
        text = lock.read()
        stale = text is None or my.is_stale(text, lock.hours(), lock.alive)  # noqa: F821
        if not stale:
            return False
        last = lock.last()
        before = "none" if last is None else str(last)
        lock.replace(f"{pid}\ntoken {token}\nbefore {before}\n")
        return True


def roll_back(lock, token: str, before: tuple[str, int] | None) -> bool:
    with lock.guard():
        text = lock.read()
        if text is None:
            return False
        lines = text.splitlines()
        if "done" in lines or f"token {token}" not in lines:
            return False
        if before is None:
            lock.remove()
        else:
            old_text, old_mtime = before
            lock.replace(old_text, old_mtime)
        return True
