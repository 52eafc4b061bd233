# message: as whole words
def missed_text(evidence: str) -> str:
    return "_" + evidence.replace(" ", "_") + "_"
