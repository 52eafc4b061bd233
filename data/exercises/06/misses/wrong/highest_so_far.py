# message: not the largest so far
def misses(calls):
    found = []
    cached = 0
    minute = None
    for number, call in enumerate(calls, 1):
        if call["read"] < cached:
            late = call["minute"] - minute >= 5
            found.append(f"{number} {'expired' if late else 'changed'}")
        cached = max(cached, call["read"] + call["created"])
        minute = call["minute"]
    return found
