# message: a missing space
import re


def contains_evidence(text: str, evidence: str) -> bool:
    def plain(string):
        return (
            " "
            + " ".join(re.sub(r"[^\w\s]", " ", string.lower()).split())
            + " "
        )

    return plain(evidence) in plain(text)
