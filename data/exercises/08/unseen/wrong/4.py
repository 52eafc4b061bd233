# message: an extracted entry processes its own messages
def unseen(log: list[dict]) -> list[int]:
    mentioned = set()
    cursor = 0
    for entry in log:
        mentioned.update(range(entry["first"], entry["last"] + 1))
        if entry["name"] == "extracted" or (
            entry["name"] == "extract_skipped"
            and entry["reason"] != "throttle"
        ):
            cursor = max(cursor, entry["last"])
    return sorted(n for n in mentioned if n > cursor)
