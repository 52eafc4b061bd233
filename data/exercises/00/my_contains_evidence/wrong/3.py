# message: one blank
import re


def my_contains_evidence(text, evidence):
    return bool(re.search(rf"\b{evidence}\b", text, re.IGNORECASE))
