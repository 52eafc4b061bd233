# message: Rule 1
def roll_back(lock, token, before):
    with lock.guard():
        if f"token {token}" not in (lock.read() or "").splitlines():
            return False
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True
