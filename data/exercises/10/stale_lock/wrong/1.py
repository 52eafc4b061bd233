# message: running holder
def stale_lock(lines):
    held = []
    for line in lines:
        if "gate=lock" in line and line.startswith("gate_shut"):
            held.append(
                int(dict(p.split("=", 1) for p in line.split()[1:])["holder"])
            )
    return [held[0], len(held)] if held else []
