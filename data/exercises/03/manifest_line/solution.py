def manifest_line(header) -> str:
    kind = ""
    if header.type:
        kind = f"[{header.type}] "
    name = " ".join(header.filename.split())
    written = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    description = " ".join(header.description.split())
    return f"- {kind}{name} ({written}): {description}"
