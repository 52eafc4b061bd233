def undo_list(journal: list[dict]) -> list[str]:
    taken_back = set()
    found = []
    for change in reversed(journal):
        if change["id"] in taken_back:
            continue
        if change["undoes"]:
            taken_back.add(change["undoes"])
        if change["who"] == "dream" and "" in change["removed"].values():
            found.append(change["id"])
    return found
