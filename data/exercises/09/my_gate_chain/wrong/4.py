# message: a held lock shuts
def my_gate_chain(look, limits):
    if not look("toggles"):
        return "toggles"
    for g in ("time", "throttle", "sessions"):
        v = look(g)
        if v is not None and v < limits[g]:
            return g
    return "" if look("lock") else "lock"
