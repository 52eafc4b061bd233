# message: A dream that removed no file stays


def undo_list(journal: list[dict]) -> list[str]:
    undone, found = set(), []
    for change in reversed(journal):
        if change["id"] in undone:
            continue
        if change["undoes"]:
            undone.add(change["undoes"])
        reasons = list(change["removed"].values())
        explained = [reason for reason in reasons if reason]
        if change["who"] == "dream" and (
            not explained or len(explained) < len(reasons)
        ):
            found.append(change["id"])
    return found
