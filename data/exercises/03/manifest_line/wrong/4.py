# message: the file name
def manifest_line(header) -> str:
    kind = f"[{header.type}] " if header.type is not None else ""
    time = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    description = " ".join(header.description.split())
    return f"- {kind}{header.filename} ({time}): {description}"
