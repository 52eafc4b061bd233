# message: the cursor moves past skipped messages
def unseen(log: list[dict]) -> list[int]:
    mentioned, processed = set(), set()
    for entry in log:
        numbers = range(entry["first"], entry["last"] + 1)
        mentioned.update(numbers)
        if entry["name"] == "extracted":
            processed.update(numbers)
    return sorted(mentioned - processed)
