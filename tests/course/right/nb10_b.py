"""Other right answers to the gaps of notebook 10."""

import re

PID = re.compile("0*[1-9][0-9]*", re.ASCII)


def is_stale(text, hours, alive):
    lines = text.split("\n")
    if any(line == "done" for line in lines[1:]):
        return True
    if not hours < 1:
        return True
    if not PID.fullmatch(lines[0]):
        return False
    return not alive(int(lines[0]))


def take_lock(lock, pid, token):
    with lock.guard():
        last, old = lock.last(), lock.read()
        free = old is None
        if not free:
            free = my.is_stale(old, lock.hours(), lock.alive)  # noqa: F821
        if free:
            stamp = "none" if last is None else str(last)
            lines = [str(pid), "token " + token, "before " + stamp, ""]
            lock.replace("\n".join(lines))
    return free


def roll_back(lock, token, before):
    with lock.guard():
        text = lock.read()
        if text is None:
            return False
        mine = set(text.split("\n"))
        if "done" in mine or "token " + token not in mine:
            return False
        if before is not None:
            lock.replace(before[0], mtime=before[1])
            return True
        lock.remove()
    return True
