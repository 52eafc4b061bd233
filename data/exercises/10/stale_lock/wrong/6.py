# message: may be used again
def stale_lock(lines):
    dead = {}
    for line in lines:
        name, *pairs = line.split(" ")
        values = dict(pair.split("=", 1) for pair in pairs)
        if name == "process_started":
            dead.pop(values["pid"], None)
        elif name == "process_ended":
            dead[values["pid"]] = 0
        elif name == "gate_shut" and values["gate"] == "lock":
            if values["holder"] in dead:
                dead[values["holder"]] += 1
    for pid, count in dead.items():
        if count:
            return [int(pid), count]
    return []
