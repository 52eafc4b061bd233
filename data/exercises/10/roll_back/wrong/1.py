# message: one block of the guard
def roll_back(lock, token, before):
    text = lock.read()
    if text is None:
        return False
    lines = text.split("\n")
    if f"token {token}" not in lines or "done" in lines:
        return False
    if before is None:
        lock.remove()
    else:
        lock.replace(before[0], before[1])
    return True
