def writer(journal: list[dict], file: str) -> str:
    taken_back = set()
    for change in reversed(journal):
        if change["id"] in taken_back:
            continue
        if change["undoes"]:
            taken_back.add(change["undoes"])
        elif file in change["wrote"]:
            return change["who"]
        elif file in change["removed"]:
            return ""
    return ""
