# message: TRUST lists the most trusted origin first
TRUST = [
    "person",
    "assistant",
    "project file",
    "unknown",
    "tool result",
    "outside",
]


def least_trusted(origins: list[str]) -> str:
    order = [origin for origin in TRUST if origin != "unknown"]
    worst = -1
    for origin in origins:
        if origin not in order:
            return "unknown"
        worst = max(worst, order.index(origin))
    return order[worst] if worst >= 0 else "unknown"
