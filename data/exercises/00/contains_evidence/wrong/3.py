# message: one space
import re


def contains_evidence(text, evidence):
    return bool(re.search(rf"\b{evidence}\b", text, re.IGNORECASE))
