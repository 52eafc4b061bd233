def why_missing(log: list[dict], file: str) -> str:
    recalls = [entry for entry in log if entry["event"] == "recall"]
    if not recalls:
        return "no recall"
    newest = recalls[-1]
    if file in newest["attached"]:
        return "attached"
    for reason, files in newest["left_out"].items():
        if reason != "not chosen" and file in files:
            return reason
    return f"not chosen by {newest['by']}"
