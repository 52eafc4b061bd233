# message: white space
import re


def manifest_line(header) -> str:
    def clean(text):
        return re.sub(r"[ \t\r\n]+", " ", text).strip()

    kind = f"[{header.type}] " if header.type is not None else ""
    time = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"- {kind}{clean(header.filename)} ({time}): {clean(header.description)}"
