# message: A label that is not in TRUST
TRUST = [
    "person",
    "assistant",
    "project file",
    "unknown",
    "tool result",
    "outside",
]


def least_trusted(origins: list[str]) -> str:
    worst = 0 if origins else TRUST.index("unknown")
    for origin in origins:
        origin = origin.strip().lower()
        if origin not in TRUST:
            origin = "unknown"
        worst = max(worst, TRUST.index(origin))
    return TRUST[worst]
