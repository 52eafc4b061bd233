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
    if not origins or any(origin not in TRUST for origin in origins):
        return "unknown"
    return TRUST[max(TRUST.index(origin) for origin in origins)]
