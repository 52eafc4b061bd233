# message: as whole words
def missed_text(evidence: str) -> str:
    return "Robin likes _tabs_."
