# message: underscore touches it
import re


def contains_evidence(text: str, evidence: str) -> bool:
    text = re.sub(r"\s+", " ", text).lower()
    evidence = re.sub(r"\s+", " ", evidence).lower()
    i = text.find(evidence)
    while i != -1:
        before = i > 0 and text[i - 1].isalnum()
        after = text[i + len(evidence) : i + len(evidence) + 1].isalnum()
        if not before and not after:
            return True
        i = text.find(evidence, i + 1)
    return False
