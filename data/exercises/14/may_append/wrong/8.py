# message: The first line of the day may be written into an empty log
def may_append(path, before, after, today):
    if path != f"logs/{today[:4]}/{today[5:7]}/{today}.md":
        return False
    if not after.startswith(before):
        return False
    added = after[len(before) :]
    return added.strip() != "" and (before[-1] == "\n" or added[0] == "\n")
