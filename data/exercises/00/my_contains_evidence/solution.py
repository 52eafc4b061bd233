import re


def my_contains_evidence(text: str, evidence: str) -> bool:
    read = " ".join(text.split()).casefold()
    wanted = " ".join(evidence.split()).casefold()
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", read) is not None
