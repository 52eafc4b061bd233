# message: a later match counts
import re


def contains_evidence(text: str, evidence: str) -> bool:
    text = re.sub(r"\s+", " ", text).lower()
    evidence = re.sub(r"\s+", " ", evidence).lower()
    for match in re.finditer(re.escape(evidence), text):
        before = text[match.start() - 1 : match.start()]
        after = text[match.end() : match.end() + 1]
        if not re.match(r"\w", before) and not re.match(r"\w", after):
            return True
    return False
