def my_gate_chain(look, limits: dict) -> str:
    if not look("toggles"):
        return "toggles"
    for gate in ("time", "throttle", "sessions"):
        value = look(gate)
        if value is not None and value < limits[gate]:
            return gate
    return "lock" if look("lock") else ""
