# message: however late
def misses(calls):
    found = []
    for number in range(1, len(calls)):
        before, call = calls[number - 1], calls[number]
        if call["minute"] - before["minute"] >= 5:
            found.append(f"{number + 1} expired")
        elif call["read"] < before["read"] + before["created"]:
            found.append(f"{number + 1} changed")
    return found
