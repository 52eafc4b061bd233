# message: stays in UTC
def manifest_line(header) -> str:
    kind = f"[{header.type}] " if header.type is not None else ""
    name = " ".join(header.filename.split())
    text = " ".join(header.description.split())
    when = header.mtime.astimezone().strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"- {kind}{name} ({when}): {text}"
