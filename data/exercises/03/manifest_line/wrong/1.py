# message: white space
def manifest_line(header):
    kind = f"[{header.type}] " if header.type else ""
    written = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    description = header.description.replace("\n", " ")
    return f"- {kind}{header.filename} ({written}): {description}"
