def my_why_missing(log: list[dict], file: str) -> str:
    newest = {line["event"]: line for line in log}
    if "recall" not in newest:
        return "no recall"
    recall = newest["recall"]
    if file in recall["attached"]:
        return "late" if newest["prefetch"]["when"] == "late" else "attached"
    for reason, files in recall["left_out"].items():
        if reason != "not chosen" and file in files:
            return reason
    return f"not chosen by {newest['select']['by']}"
