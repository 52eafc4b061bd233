# message: running holder
def stale_lock(lines):
    running = set()
    result = []
    for line in lines:
        name, *pairs = line.split(" ")
        values = dict(pair.split("=", 1) for pair in pairs)
        if name == "process_started":
            running.add(values["pid"])
        elif name == "process_ended":
            running.discard(values["pid"])
        elif name == "gate_shut" and values["gate"] == "lock":
            if values["holder"] not in running:
                if not result:
                    result = [int(values["holder"]), 0]
                result[1] += 1
    return result
