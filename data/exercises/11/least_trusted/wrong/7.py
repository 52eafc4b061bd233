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
    worst = -1
    for label in origins:
        found = [
            number for number, origin in enumerate(TRUST) if origin in label
        ]
        worst = max(worst, max(found, default=TRUST.index("unknown")))
    return TRUST[worst] if origins else "unknown"
