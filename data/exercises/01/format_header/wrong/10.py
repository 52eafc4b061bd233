# message: gets no quotes
import json
import re


def format_header(name: str, description: str, type: str) -> str:
    def value(text):
        simple = (
            re.fullmatch(r"[A-Za-z][A-Za-z0-9 _-]*", text)
            and text == text.strip()
        )
        word = text.lower() in (
            "yes",
            "no",
            "true",
            "false",
            "on",
            "off",
            "null",
            "y",
            "n",
        )
        if simple and not word:
            return text
        return json.dumps(text, ensure_ascii=False)

    return (
        "---\n"
        f"name: {value(name)}\n"
        f"description: {value(description)}\n"
        f"type: {value(type)}\n"
        "---\n"
    )
