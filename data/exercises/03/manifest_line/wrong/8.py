# message: not cut
import textwrap


def manifest_line(header) -> str:
    kind = f"[{header.type}] " if header.type is not None else ""
    name = " ".join(header.filename.split())
    text = textwrap.shorten(header.description, width=150, placeholder="...")
    return f"- {kind}{name} ({header.mtime:%Y-%m-%dT%H:%M:%SZ}): {text}"
