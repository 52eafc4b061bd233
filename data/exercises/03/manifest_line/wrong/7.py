# message: the file name
import re


def manifest_line(header) -> str:
    name = re.sub(r"\s+", "", header.filename)
    text = " ".join(header.description.split())
    time = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    parts = ["-"]
    if header.type is not None:
        parts.append(f"[{header.type}]")
    parts += [name, f"({time}):", text]
    return " ".join(parts)
