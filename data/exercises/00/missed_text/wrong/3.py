# message: as whole words
def missed_text(evidence: str) -> str:
    return "_" + "".join(char for char in evidence if char.isalpha()) + "_"
