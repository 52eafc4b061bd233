# message: more often than expected
def unseen(log: list[dict]) -> list[int]:
    mentioned, processed = [], set()
    for entry in log:
        numbers = list(range(entry["first"], entry["last"] + 1))
        mentioned.extend(numbers)
        if entry["name"] == "extracted":
            processed.update(numbers)
        if (
            entry["name"] == "extract_skipped"
            and entry["reason"] != "throttle"
        ):
            processed.update(numbers)
    return sorted(n for n in mentioned if n not in processed)
