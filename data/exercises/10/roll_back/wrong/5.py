# message: Rule 1
def roll_back(lock, token, before):
    with lock.guard():
        text = lock.read()
        if text is None or "done" in text:
            return False
        if f"token {token}" not in text.split("\n"):
            return False
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True
