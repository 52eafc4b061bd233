# message: finds no boundary
import re


def contains_evidence(text, evidence):
    searched = " ".join(text.lower().split())
    wanted = re.escape(" ".join(evidence.lower().split()))
    return re.search(rf"\b{wanted}\b", searched) is not None
