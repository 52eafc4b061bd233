# message: A file that was removed does not exist
def writer(journal, file):
    undone = set()
    for change in reversed(journal):
        if change["id"] in undone:
            continue
        if change["undoes"]:
            undone.add(change["undoes"])
        elif file in change["wrote"]:
            return change["who"]
    return ""
