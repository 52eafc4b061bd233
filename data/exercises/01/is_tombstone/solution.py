def is_tombstone(header: dict[str, str], body: str) -> bool:
    if body.strip():
        return False
    return bool(header.get("superseded_by") or header.get("dropped"))
