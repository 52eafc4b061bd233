# message: read too little
def misses(calls):
    found = []
    for number in range(1, len(calls)):
        before, call = calls[number - 1], calls[number]
        if call["read"] != before["read"] + before["created"]:
            late = call["minute"] - before["minute"] >= 5
            found.append(f"{number + 1} {'expired' if late else 'changed'}")
    return found
