# message: 2 is missing
def unseen(log: list[dict]) -> list[int]:
    mentioned, processed = set(), set()
    for entry in log:
        ends = {entry["first"], entry["last"]}
        mentioned |= ends
        if entry["name"] == "extracted":
            processed.update(range(entry["first"], entry["last"] + 1))
        elif (
            entry["name"] == "extract_skipped"
            and entry["reason"] != "throttle"
        ):
            processed.update(range(entry["first"], entry["last"] + 1))
    return sorted(mentioned - processed)
