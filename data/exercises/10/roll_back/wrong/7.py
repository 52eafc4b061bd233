# message: Rule 3
def roll_back(lock, token, before):
    with lock.guard():
        text = lock.read()
        if text is None:
            return False
        lines = text.split("\n")
        if f"token {token}" not in lines or "done" in lines:
            return False
        old_text, mtime = before or (None, None)
        if old_text:
            lock.replace(old_text, mtime)
        else:
            lock.remove()
        return True
