# message: a dot is a dot
import re


def contains_evidence(text: str, evidence: str) -> bool:
    text = re.sub(r"\s+", " ", text).lower()
    evidence = re.sub(r"\s+", " ", evidence).lower()
    return re.search(rf"(?<!\w){evidence}(?!\w)", text) is not None
