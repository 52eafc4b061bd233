# message: takes nothing back
def writer(journal, file):
    by_id = {change["id"]: change for change in journal}
    undone = set()
    for change in journal:
        target = change["undoes"]
        if not target:
            continue
        if by_id[target]["undoes"]:
            undone.discard(by_id[target]["undoes"])
        else:
            undone.add(target)
    result = ""
    for change in journal:
        if change["undoes"] or change["id"] in undone:
            continue
        if file in change["wrote"]:
            result = change["who"]
        elif file in change["removed"]:
            result = ""
    return result
