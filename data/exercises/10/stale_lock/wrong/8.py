# message: one too few
def stale_lock(lines):
    ended = set()
    for line in lines:
        name, *pairs = line.split(" ")
        values = dict(pair.split("=", 1) for pair in pairs)
        if name == "process_started":
            ended.discard(values["pid"])
        elif name == "process_ended":
            ended.add(values["pid"])
        elif name == "gate_shut" and values["gate"] == "lock":
            if values["holder"] in ended:
                return [int(values["holder"]), 1]
    return []
