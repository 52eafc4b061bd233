def my_stale_lock(lines: list) -> list:
    gone, blamed = set(), []
    for line in lines:
        name, *pairs = line.split()
        told = dict(pair.split("=") for pair in pairs)
        if name == "process_ended":
            gone.add(told["pid"])
        elif name == "process_started":
            gone.discard(told["pid"])
        elif (
            name == "gate_shut"
            and told["gate"] == "lock"
            and told["holder"] in gone
        ):
            blamed.append(int(told["holder"]))
    return [blamed[0], len(blamed)] if blamed else []
