# message: is missing
def misses(calls):
    for i in range(1, len(calls)):
        before = calls[i - 1]
        if calls[i]["read"] < before["read"] + before["created"]:
            if calls[i]["minute"] - before["minute"] >= 5:
                return [f"{i + 1} expired"]
            return [f"{i + 1} changed"]
    return []
