# message: It doesn't matter who took a change back


def undo_list(journal: list[dict]) -> list[str]:
    undone, found = set(), []
    for change in reversed(journal):
        if change["id"] in undone:
            continue
        if change["who"] == "user" and change["undoes"]:
            undone.add(change["undoes"])
        elif change["who"] == "dream" and "" in change["removed"].values():
            found.append(change["id"])
    return found
