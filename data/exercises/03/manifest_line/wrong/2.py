# message: no fractions of a second
def manifest_line(header) -> str:
    kind = f"[{header.type}] " if header.type else ""
    name = " ".join(header.filename.split())
    text = " ".join(header.description.split())
    written = header.mtime.isoformat().replace("+00:00", "Z")
    return f"- {kind}{name} ({written}): {text}"
