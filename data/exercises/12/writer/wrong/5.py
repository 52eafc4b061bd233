# message: not the newest one
def writer(journal, file):
    before = {}
    now = ""
    for change in journal:
        before[change["id"]] = now
        if change["undoes"]:
            now = before[change["undoes"]]
        elif file in change["wrote"]:
            now = change["who"]
        elif file in change["removed"]:
            now = ""
    return now
