# message: you raised
def roll_back(lock, token, before):
    with lock.guard():
        lines = lock.read().split("\n")
        if f"token {token}" not in lines or "done" in lines:
            return False
        if before is None:
            lock.remove()
        else:
            lock.replace(*before)
        return True
