def missed_text(evidence: str) -> str:
    return f"_{evidence}_"
