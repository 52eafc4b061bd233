# message: Rule 1
def roll_back(lock, token, before):
    with lock.guard():
        text = lock.read()
        if text is None:
            return False
        lines = text.splitlines()
        if f"token {token}" not in lines or lines[-1] == "done":
            return False
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True
