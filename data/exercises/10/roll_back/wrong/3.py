# message: Rule 2
def roll_back(lock, token, before):
    with lock.guard():
        text = lock.read()
        if text is None or f"token {token}" not in text:
            return False
        if "done" in text.split("\n"):
            return False
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True
