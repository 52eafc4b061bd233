"""Right answers for notebook 10, written from its text alone."""

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
    took = False
    with lock.guard():
        found = lock.read()
        free = found is None or my.is_stale(found, lock.hours(), lock.alive)  # noqa: F821
        if free:
            last = lock.last()
            lines = [str(pid), "token " + token]
            if last is None:
                lines.append("before none")
            else:
                lines.append("before " + str(last))
            lock.replace("".join(line + "\n" for line in lines))
            took = True
    return took


def roll_back(lock, token: str, before: tuple[str, int] | None) -> bool:
    mine = done = False
    with lock.guard():
        for line in (lock.read() or "").split("\n"):
            if line == f"token {token}":
                mine = True
            elif line == "done":
                done = True
        if not mine or done:
            return False
        if before:
            lock.replace(before[0], mtime=before[1])
        else:
            lock.remove()
    return True
