# message: keeps its place
def writer(journal, file):
    by_id = {}
    active = []
    for change in journal:
        by_id[change["id"]] = change
        todo, counts = change, True
        while todo["undoes"]:
            todo, counts = by_id[todo["undoes"]], not counts
        if todo in active:
            active.remove(todo)
        if counts:
            active.append(todo)
    for change in reversed(active):
        if file in change["wrote"]:
            return change["who"]
        if file in change["removed"]:
            return ""
    return ""
