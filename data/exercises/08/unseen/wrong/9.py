# message: only messages that an entry mentions
def unseen(log: list[dict]) -> list[int]:
    if not log:
        return []
    first = min(entry["first"] for entry in log)
    last = max(entry["last"] for entry in log)
    processed = set()
    for entry in log:
        if entry["name"] == "extracted" or (
            entry["name"] == "extract_skipped"
            and entry["reason"] != "throttle"
        ):
            processed.update(range(entry["first"], entry["last"] + 1))
    return [n for n in range(first, last + 1) if n not in processed]
