# message: expected True
def is_tombstone(header: dict[str, str], body: str) -> bool:
    marked = bool(header.get("superseded_by") or header.get("dropped"))
    return marked and body.isspace()
