# message: expected
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
    return TRUST[max(rank.get(origin, 0) for origin in origins)]
