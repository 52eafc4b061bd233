# message: without a value
def is_tombstone(header: dict[str, str], body: str) -> bool:
    marked = "superseded_by" in header or "dropped" in header
    return marked and not body.strip()
