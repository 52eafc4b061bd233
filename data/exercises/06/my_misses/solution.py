def my_misses(calls: list[dict]) -> list[str]:
    found = []
    for number, (before, call) in enumerate(zip(calls, calls[1:]), 2):
        if call["read"] < before["read"] + before["created"]:
            late = call["minute"] - before["minute"] > 5
            found.append(f"{number} {'expired' if late else 'changed'}")
    return found
