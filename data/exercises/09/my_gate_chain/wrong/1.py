# message: was looked at
def my_gate_chain(look, limits):
    gates = ("toggles", "time", "throttle", "sessions", "lock")
    facts = {g: look(g) for g in gates}
    return next((g for g in gates[1:4] if (facts[g] or 0) < limits[g]), "")
