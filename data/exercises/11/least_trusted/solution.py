TRUST = [
    "person",
    "assistant",
    "project file",
    "unknown",
    "tool result",
    "outside",
]


def least_trusted(origins: list[str]) -> str:
    least = None
    for origin in origins:
        if origin not in TRUST:
            origin = "unknown"
        if least is None or TRUST.index(origin) > TRUST.index(least):
            least = origin
    return least or "unknown"
