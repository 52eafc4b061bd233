# message: only the last recall entry
def why_missing(log: list[dict], file: str) -> str:
    recalls = [entry for entry in log if entry["event"] == "recall"]
    if not recalls:
        return "no recall"
    if any(file in entry["attached"] for entry in recalls):
        return "attached"
    last = recalls[-1]
    for reason, files in last["left_out"].items():
        if isinstance(files, list) and file in files:
            return reason
    return f"not chosen by {last['by']}"
