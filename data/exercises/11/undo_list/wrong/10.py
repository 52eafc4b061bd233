# message: their order is not


def undo_list(journal: list[dict]) -> list[str]:
    undone, found = set(), set()
    for change in journal[::-1]:
        if change["id"] in undone:
            continue
        if change["undoes"]:
            undone.add(change["undoes"])
        if change["who"] == "dream" and "" in change["removed"].values():
            found.add(change["id"])
    return sorted(found, reverse=True)
