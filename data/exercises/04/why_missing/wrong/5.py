# message: only the last recall entry
def why_missing(log: list[dict], file: str) -> str:
    by = None
    for entry in reversed(log):
        if entry["event"] != "recall":
            continue
        if by is None:
            by = entry["by"]
        if file in entry["attached"]:
            return "attached"
        for reason, files in entry["left_out"].items():
            if isinstance(files, list) and file in files:
                return reason
    return "no recall" if by is None else f"not chosen by {by}"
