# message: one of the two keys is needed
def is_tombstone(header: dict[str, str], body: str) -> bool:
    known = ("name", "description")
    marked = any(value for key, value in header.items() if key not in known)
    return marked and not body.strip()
