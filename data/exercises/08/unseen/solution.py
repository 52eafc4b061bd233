def unseen(log: list[dict]) -> list[int]:
    mentioned = set()
    processed = set()
    for entry in log:
        numbers = range(entry["first"], entry["last"] + 1)
        mentioned.update(numbers)
        name = entry["name"]
        skipped = name == "extract_skipped" and entry["reason"] != "throttle"
        if name == "extracted" or skipped:
            processed.update(numbers)
    return sorted(mentioned - processed)
