# message: the file name
def manifest_line(header):
    kind = f"[{header.type}] " if header.type else ""
    written = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    description = " ".join(header.description.split())
    return f"- {kind}{header.filename} ({written}): {description}"
