# message: If an undo is taken back
def undo_list(journal: list[dict]) -> list[str]:
    undone = {change["undoes"] for change in journal}
    return [
        change["id"]
        for change in reversed(journal)
        if change["who"] == "dream"
        and change["id"] not in undone
        and "" in change["removed"].values()
    ]
