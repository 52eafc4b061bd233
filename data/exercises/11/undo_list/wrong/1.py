# message: If an undo is taken back


def undo_list(journal: list[dict]) -> list[str]:
    undone = {change["undoes"] for change in journal if change["undoes"]}
    found = []
    for change in reversed(journal):
        lost = any(reason == "" for reason in change["removed"].values())
        if change["who"] == "dream" and lost and change["id"] not in undone:
            found.append(change["id"])
    return found
