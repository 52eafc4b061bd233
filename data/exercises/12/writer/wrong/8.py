# message: not the newest one
def writer(journal, file):
    stack = []
    for change in journal:
        if change["undoes"]:
            if stack:
                stack.pop()
        else:
            stack.append(change)
    for change in reversed(stack):
        if file in change["wrote"]:
            return change["who"]
        if file in change["removed"]:
            return ""
    return ""
