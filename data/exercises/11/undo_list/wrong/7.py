# message: A dream that takes something back


def undo_list(journal: list[dict]) -> list[str]:
    undone, found = set(), []
    for change in reversed(journal):
        if change["id"] in undone:
            continue
        if change["undoes"]:
            undone.add(change["undoes"])
            continue
        if change["who"] == "dream" and any(
            r == "" for r in change["removed"].values()
        ):
            found.append(change["id"])
    return found
