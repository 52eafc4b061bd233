# message: an extracted entry processes its own messages
def unseen(log: list[dict]) -> list[int]:
    if any(entry["name"] == "extracted" for entry in log):
        return []
    missing = set()
    for entry in log:
        if entry["name"] != "extract_skipped" or entry["reason"] == "throttle":
            missing.update(range(entry["first"], entry["last"] + 1))
    return sorted(missing)
