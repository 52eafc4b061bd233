# message: the order of the entries makes no difference
def unseen(log: list[dict]) -> list[int]:
    open_numbers = set()
    for entry in log:
        numbers = set(range(entry["first"], entry["last"] + 1))
        if entry["name"] == "extracted":
            open_numbers -= numbers
        elif (
            entry["name"] == "extract_skipped"
            and entry["reason"] != "throttle"
        ):
            open_numbers -= numbers
        else:
            open_numbers |= numbers
    return sorted(open_numbers)
