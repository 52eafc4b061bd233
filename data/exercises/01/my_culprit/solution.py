def my_culprit(journal: list[dict], file: str) -> str:
    last = next(
        (line for line in reversed(journal) if line["file"] == file), None
    )
    if last is None or last["what"] != "remove":
        return "nobody"
    return f"{last['who']}, {last['id']}"
