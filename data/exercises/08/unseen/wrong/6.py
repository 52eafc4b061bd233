# message: order is not
def unseen(log: list[dict]) -> list[int]:
    mentioned, processed = {}, set()
    for entry in log:
        for number in range(entry["first"], entry["last"] + 1):
            mentioned[number] = True
            if entry["name"] == "extracted" or (
                entry["name"] == "extract_skipped"
                and entry["reason"] != "throttle"
            ):
                processed.add(number)
    return [n for n in mentioned if n not in processed]
