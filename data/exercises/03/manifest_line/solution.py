import re
from memlab.text import shorten


def manifest_line(header, width: int) -> str:
    def one_line(text):
        return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()

    kind = f"[{header.type}] " if header.type else ""
    written = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    description = shorten(one_line(header.description), width)
    return f"- {kind}{one_line(header.filename)} ({written}): {description}"
