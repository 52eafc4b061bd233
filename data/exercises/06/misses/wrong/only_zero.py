# message: read and created together
def misses(calls):
    found = []
    for number in range(1, len(calls)):
        if not calls[number]["read"]:
            late = calls[number]["minute"] - calls[number - 1]["minute"] >= 5
            found.append(f"{number + 1} {'expired' if late else 'changed'}")
    return found
