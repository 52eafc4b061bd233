# message: whatever it says
def is_tombstone(header: dict[str, str], body: str) -> bool:
    def has_value(key):
        value = header.get(key, "").strip().lower()
        return value not in ("", "no", "false", "none", "null")

    return (
        has_value("superseded_by") or has_value("dropped")
    ) and not body.strip()
