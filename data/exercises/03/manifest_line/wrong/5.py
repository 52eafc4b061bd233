# message: white space
import re


def manifest_line(header) -> str:
    name = re.sub(r"\s+", " ", header.filename).rstrip()
    text = re.sub(r"\s+", " ", header.description).rstrip()
    when = f"{header.mtime:%Y-%m-%dT%H:%M:%SZ}"
    if header.type is None:
        return f"- {name} ({when}): {text}"
    return f"- [{header.type}] {name} ({when}): {text}"
