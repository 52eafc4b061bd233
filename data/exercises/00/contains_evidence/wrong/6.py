# message: quotation mark
import re


def contains_evidence(text: str, evidence: str) -> bool:
    text = re.sub(r"\s+", " ", text)
    evidence = re.escape(re.sub(r"\s+", " ", evidence))
    pattern = r"(?:^|[ (])" + evidence + r"(?:$|[ ).,;:!?])"
    return re.search(pattern, text, re.IGNORECASE) is not None
