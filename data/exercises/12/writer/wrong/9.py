# message: takes it back
def writer(journal, file):
    undone = set()
    for change in reversed(journal):
        if change["undoes"]:
            if change["id"] not in undone:
                undone.add(change["undoes"])
            continue
        if file in change["removed"]:
            return ""
        if file in change["wrote"] and change["id"] not in undone:
            return change["who"]
    return ""
