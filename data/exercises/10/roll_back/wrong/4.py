# message: Rule 1
def roll_back(lock, token, before):
    with lock.guard():
        text = lock.read()
        if text is None or f"token {token}" not in text.splitlines():
            return False
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True
