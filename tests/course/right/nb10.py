"""Right answers to the gaps of notebook 10, written from its text alone."""

import re


def is_stale(text: str, hours: float, alive) -> bool:
    first, *others = text.split("\n")
    for line in others:
        if line == "done":
            return True
    if hours >= 1.0:
        return True
    is_pid = re.fullmatch("[0-9]+", first) is not None and int(first) > 0
    return is_pid and not alive(int(first))


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
