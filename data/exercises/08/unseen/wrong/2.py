# message: skipped messages are left for later
def unseen(log: list[dict]) -> list[int]:
    mentioned, processed = set(), set()
    for entry in log:
        numbers = range(entry["first"], entry["last"] + 1)
        mentioned.update(numbers)
        if entry["name"] in ("extracted", "extract_skipped"):
            processed.update(numbers)
    return sorted(mentioned - processed)
