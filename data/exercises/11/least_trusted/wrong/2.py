# message: you raised ValueError
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
    return max(origins, key=TRUST.index)
