# message: takes it back
def writer(journal, file):
    undone = journal[-1]["undoes"] if journal else ""
    for change in reversed(journal):
        if change["undoes"] or change["id"] == undone:
            continue
        if file in change["wrote"]:
            return change["who"]
        if file in change["removed"]:
            return ""
    return ""
