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
