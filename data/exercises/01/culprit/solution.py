def culprit(journal: list[dict[str, str]], file: str) -> str:
    last = None
    for line in journal:
        if line["file"] == file:
            last = line
    if last is None or last["after"]:
        return "nobody"
    return f"{last['who']}, {last['id']}"
