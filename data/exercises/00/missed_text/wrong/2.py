# message: as whole words
def missed_text(evidence: str) -> str:
    return f"_{evidence.split()[0]}_ is what I like"
