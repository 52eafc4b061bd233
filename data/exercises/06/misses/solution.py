def misses(calls: list[dict]) -> list[str]:
    found = []
    for number in range(1, len(calls)):
        before = calls[number - 1]
        call = calls[number]
        if call["read"] < before["read"] + before["created"]:
            minutes = call["minute"] - before["minute"]
            reason = "expired" if minutes >= 5 else "changed"
            found.append(f"{number + 1} {reason}")
    return found
