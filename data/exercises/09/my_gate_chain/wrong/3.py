# message: None means never
def my_gate_chain(look, limits):
    if not look("toggles"):
        return "toggles"
    for g in ("time", "throttle", "sessions"):
        if (look(g) or 0) < limits[g]:
            return g
    return "lock" if look("lock") else ""
