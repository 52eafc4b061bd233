import re


def contains_evidence(text: str, evidence: str) -> bool:
    searched = " ".join(text.lower().split())
    wanted = " ".join(evidence.lower().split())
    pattern = r"(?<!\w)" + re.escape(wanted) + r"(?!\w)"
    return re.search(pattern, searched) is not None
