# message: a throttled turn waits
def my_unseen(events):
    told, dealt = set(), set()
    for e in events:
        span = set(range(e["first"], e["last"] + 1))
        told |= span
        if e["name"] in ("extracted", "extract_skipped"):
            dealt |= span
    return sorted(told - dealt)
