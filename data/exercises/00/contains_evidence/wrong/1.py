# message: part of another word
import re


def contains_evidence(text: str, evidence: str) -> bool:
    text = re.sub(r"\s+", " ", text)
    evidence = re.sub(r"\s+", " ", evidence)
    start = r"\b" if re.match(r"\w", evidence) else ""
    end = r"\b" if re.search(r"\w$", evidence) else ""
    return (
        re.search(start + re.escape(evidence) + end, text, re.IGNORECASE)
        is not None
    )
