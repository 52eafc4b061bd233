# message: its letters are kept
def manifest_line(header) -> str:
    kind = f"[{header.type}] " if header.type is not None else ""
    name = " ".join(header.filename.split())
    text = " ".join(header.description.split())
    return header.mtime.strftime(
        f"- {kind}{name} (%Y-%m-%dT%H:%M:%SZ): {text}"
    )
