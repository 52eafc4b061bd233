"""Right answers to the gaps of notebook 10, each of which stands alone."""


def is_stale(text: str, hours: float, alive) -> bool:
    first, *others = text.splitlines() or [""]
    if "done" in others:
        return True
    if hours >= 1:
        return True
    if first.isascii() and first.isdigit() and int(first) > 0:
        return not alive(int(first))
    return False


def take_lock(lock, pid: int, token: str) -> bool:
    with lock.guard():
        text = lock.read()
        if text is not None and not my.is_stale(text, lock.hours(), lock.alive):  # noqa: F821
            return False
        before = lock.last()
        if before is None:
            before = "none"
        lock.replace(f"{pid}\ntoken {token}\nbefore {before}\n")
        return True


def roll_back(lock, token: str, before: tuple[str, int] | None) -> bool:
    with lock.guard():
        lines = (lock.read() or "").splitlines()
        if f"token {token}" not in lines or "done" in lines:
            return False
        if before is None:
            lock.remove()
        else:
            text, mtime = before
            lock.replace(text, mtime)
        return True
