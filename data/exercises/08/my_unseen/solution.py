def my_unseen(events: list[dict]) -> list[int]:
    told, dealt = set(), set()
    for event in events:
        span = set(range(event["first"], event["last"] + 1))
        told |= span
        skipped = (
            event["name"] == "extract_skipped"
            and event["reason"] != "throttle"
        )
        if event["name"] == "extracted" or skipped:
            dealt |= span
    return sorted(told - dealt)
