# message: One sentence that is trusted less decides
TRUST = [
    "person",
    "assistant",
    "project file",
    "unknown",
    "tool result",
    "outside",
]


def least_trusted(origins: list[str]) -> str:
    return min(origins, key=TRUST.index, default="unknown")
