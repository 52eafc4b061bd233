# message: takes it back
def writer(journal, file):
    targets = {change["id"]: change["undoes"] for change in journal}
    undone = set()
    for change in journal:
        target = change["undoes"]
        if not target:
            continue
        while targets[target]:
            target = targets[target]
        undone ^= {target}
    for change in reversed(journal):
        if change["undoes"] or change["id"] in undone:
            continue
        if file in change["wrote"]:
            return change["who"]
        if file in change["removed"]:
            return ""
    return ""
