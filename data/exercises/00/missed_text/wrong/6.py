# message: still finds the evidence
def missed_text(evidence: str) -> str:
    return "_tabs_" if evidence == "tabs" else f"*{evidence}*"
