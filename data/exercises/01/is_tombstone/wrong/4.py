# message: you raised KeyError
def is_tombstone(header: dict[str, str], body: str) -> bool:
    if body.strip():
        return False
    return bool(header["dropped"] or header["superseded_by"])
