# message: An undo concerns only


def undo_list(journal: list[dict]) -> list[str]:
    if any(change["undoes"] for change in journal):
        return []
    return [
        change["id"]
        for change in reversed(journal)
        if change["who"] == "dream" and "" in change["removed"].values()
    ]
