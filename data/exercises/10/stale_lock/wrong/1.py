# message: may be used again
def stale_lock(lines):
    ended = set()
    counts = {}
    for line in lines:
        name, *pairs = line.split(" ")
        values = dict(pair.split("=", 1) for pair in pairs)
        if name == "process_ended":
            ended.add(values["pid"])
        elif name == "gate_shut" and values.get("gate") == "lock":
            holder = values["holder"]
            if holder in ended:
                counts[holder] = counts.get(holder, 0) + 1
    for holder, count in counts.items():
        return [int(holder), count]
    return []
