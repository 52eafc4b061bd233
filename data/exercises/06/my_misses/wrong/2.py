# message: read and created together
def my_misses(calls):
    out = []
    for n, (a, b) in enumerate(zip(calls, calls[1:]), 2):
        if b["read"] < a["created"]:
            late = b["minute"] - a["minute"] > 5
            out.append(f"{n} {'expired' if late else 'changed'}")
    return out
