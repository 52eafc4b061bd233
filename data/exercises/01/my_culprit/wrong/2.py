# message: only written
def my_culprit(journal, file):
    if not journal:
        return "nobody"
    return f"{journal[-1]['who']}, {journal[-1]['id']}"
