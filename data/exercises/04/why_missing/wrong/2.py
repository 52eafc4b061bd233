# message: only the last recall entry
def why_missing(log: list[dict], file: str) -> str:
    if not log or log[-1]["event"] != "recall":
        return "no recall"
    entry = log[-1]
    if file in entry["attached"]:
        return "attached"
    for reason, files in entry["left_out"].items():
        if isinstance(files, list) and file in files:
            return reason
    return f"not chosen by {entry['by']}"
