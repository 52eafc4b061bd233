# message: takes nothing back
def writer(journal, file):
    undone = {change["undoes"] for change in journal if change["undoes"]}
    for change in reversed(journal):
        if change["undoes"] or change["id"] in undone:
            continue
        if file in change["wrote"]:
            return change["who"]
        if file in change["removed"]:
            return ""
    return ""
