def my_fooling_text(evidence: str) -> str:
    return f"un{evidence}ish"
