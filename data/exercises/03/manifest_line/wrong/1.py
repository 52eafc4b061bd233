# message: no square brackets
def manifest_line(header) -> str:
    name = " ".join(header.filename.split())
    text = " ".join(header.description.split())
    when = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"- [{header.type}] {name} ({when}): {text}"
