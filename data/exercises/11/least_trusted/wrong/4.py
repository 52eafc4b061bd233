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
    if not origins:
        return "unknown"
    rank = {origin: number for number, origin in enumerate(TRUST)}
    worst = max(rank.get(origin, len(TRUST) - 1) for origin in origins)
    return TRUST[worst]
