# message: still says something
def is_tombstone(header: dict[str, str], body: str) -> bool:
    return bool(header.get("superseded_by")) or (
        bool(header.get("dropped")) and not body.strip()
    )
