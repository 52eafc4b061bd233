# message: no square brackets
def manifest_line(header):
    written = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    description = " ".join(header.description.split())
    name = " ".join(header.filename.split())
    return f"- [{header.type}] {name} ({written}): {description}"
