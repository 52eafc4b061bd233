# message: an entry with any other name processes nothing
def unseen(log: list[dict]) -> list[int]:
    mentioned, processed = set(), set()
    for entry in log:
        numbers = range(entry["first"], entry["last"] + 1)
        if entry["name"] in (
            "extract_started",
            "extract_failed",
            "extract_stashed",
        ):
            mentioned.update(numbers)
        elif (
            entry["name"] == "extract_skipped"
            and entry["reason"] == "throttle"
        ):
            mentioned.update(numbers)
        elif entry["name"] in ("extracted", "extract_skipped"):
            processed.update(numbers)
    return sorted(mentioned - processed)
