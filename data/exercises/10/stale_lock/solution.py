def stale_lock(lines: list[str]) -> list[int]:
    ended = set()
    prevented = []
    for line in lines:
        name, *pairs = line.split()
        values = dict(pair.split("=", 1) for pair in pairs)
        if name == "process_ended":
            ended.add(values["pid"])
        elif name == "process_started":
            ended.discard(values["pid"])
        elif name == "gate_shut" and values["gate"] == "lock":
            if values["holder"] in ended:
                prevented.append(int(values["holder"]))
    if not prevented:
        return []
    return [prevented[0], len(prevented)]
