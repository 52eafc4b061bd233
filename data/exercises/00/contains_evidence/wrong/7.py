# message: hyphen
import re


def contains_evidence(text: str, evidence: str) -> bool:
    text = re.sub(r"\s+", " ", text)
    evidence = re.sub(r"\s+", " ", evidence)
    pattern = r"(?<![\w'-])" + re.escape(evidence) + r"(?![\w'-])"
    return re.search(pattern, text, re.IGNORECASE) is not None
