# message: other gates
def stale_lock(lines):
    ended = set()
    result = []
    for line in lines:
        name, *pairs = line.split(" ")
        values = dict(pair.split("=", 1) for pair in pairs)
        if name == "process_started":
            ended.discard(values["pid"])
        elif name == "process_ended":
            ended.add(values["pid"])
        elif name == "gate_shut" and values.get("holder") in ended:
            result = [int(values["holder"]), result[1] + 1 if result else 1]
    return result
