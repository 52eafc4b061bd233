import json
import re


def format_header(name: str, description: str, type: str) -> str:
    def value(text):
        if re.fullmatch(r"[A-Za-z][\w ,.]*", text) and not text.endswith(" "):
            return text
        return json.dumps(text, ensure_ascii=False)

    return (
        "---\n"
        f"name: {value(name)}\n"
        f"description: {value(description)}\n"
        f"type: {type}\n"
        "---\n"
    )
