# message: still finds the evidence
def missed_text(evidence: str) -> str:
    return evidence.replace("a", "*a*")
