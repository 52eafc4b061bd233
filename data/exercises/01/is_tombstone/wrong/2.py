# message: expected True
def is_tombstone(header: dict[str, str], body: str) -> bool:
    return bool(header.get("dropped")) and not body.strip()
