# message: Rule 1
def roll_back(lock, token, before):
    with lock.guard():
        text = lock.read()
        if text is None:
            return False
        lines = text.split("\n")
        if len(lines) < 2 or lines[1] != f"token {token}" or "done" in lines:
            return False
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True
