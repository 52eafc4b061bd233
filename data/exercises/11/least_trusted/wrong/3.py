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
    for origin in reversed(TRUST):
        if origin in origins:
            return origin
    return "unknown"
