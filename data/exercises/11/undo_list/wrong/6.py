# message: A dream that gives a reason


def undo_list(journal: list[dict]) -> list[str]:
    undone, found = set(), []
    for change in reversed(journal):
        if change["id"] in undone:
            continue
        undone.add(change["undoes"])
        reasons = change["removed"].values()
        bad = any(not r or r.startswith("superseded by") for r in reasons)
        if change["who"] == "dream" and bad:
            found.append(change["id"])
    return found
