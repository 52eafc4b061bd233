# message: One removed file without a reason is enough


def undo_list(journal: list[dict]) -> list[str]:
    undone, found = set(), []
    for change in reversed(journal):
        if change["id"] in undone:
            continue
        if change["undoes"]:
            undone.add(change["undoes"])
        removed = change["removed"]
        if change["who"] == "dream" and removed and not any(removed.values()):
            found.append(change["id"])
    return found
