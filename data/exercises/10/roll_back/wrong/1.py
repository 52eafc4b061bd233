# message: one block of the guard
def roll_back(lock, token, before):
    lines = (lock.read() or "").splitlines()
    if f"token {token}" not in lines or "done" in lines:
        return False
    if before is None:
        lock.remove()
    else:
        lock.replace(*before)
    return True
