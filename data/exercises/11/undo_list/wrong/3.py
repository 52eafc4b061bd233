# message: Only a dream is to be undone


def undo_list(journal: list[dict]) -> list[str]:
    undone, found = set(), []
    for change in reversed(journal):
        if change["id"] in undone:
            continue
        if change["undoes"]:
            undone.add(change["undoes"])
        if any(not reason for reason in change["removed"].values()):
            found.append(change["id"])
    return found
