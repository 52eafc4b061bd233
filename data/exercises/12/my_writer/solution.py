def my_writer(journal: list[dict], file: str) -> str:
    changes = []
    for entry in journal:
        if entry["file"] != file:
            continue
        if entry["what"] == "undo":
            changes.pop()
        else:
            changes.append(entry)
    if not changes or changes[-1]["what"] == "remove":
        return ""
    return changes[-1]["who"]
