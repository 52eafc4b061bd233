# message: still says something
def is_tombstone(header: dict[str, str], body: str) -> bool:
    if not (header.get("superseded_by") or header.get("dropped")):
        return False
    lines = [line.strip() for line in body.splitlines()]
    return not any(line and not line.startswith("#") for line in lines)
