# message: An undo writes and removes nothing itself
def writer(journal, file):
    undone = set()
    for change in reversed(journal):
        if change["id"] in undone:
            continue
        if change["undoes"]:
            undone.add(change["undoes"])
        if file in change["removed"]:
            return ""
        if file in change["wrote"] and not change["undoes"]:
            return change["who"]
    return ""
