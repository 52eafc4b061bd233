# message: expected
def unseen(log):
    mentioned, processed = set(), set()
    for entry in log:
        numbers = range(entry["first"], entry["last"] + 1)
        mentioned.update(numbers)
        if entry["name"] in ("extracted", "extract_skipped"):
            processed.update(numbers)
    return sorted(mentioned - processed)
