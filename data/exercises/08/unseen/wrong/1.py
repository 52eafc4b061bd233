# message: 3
def unseen(log):
    mentioned, processed = set(), set()
    for entry in log:
        numbers = range(entry["first"], entry["last"])
        mentioned.update(numbers)
        if entry["name"] in ("extracted", "extract_skipped"):
            processed.update(numbers)
    return sorted(mentioned - processed)
