# message: only double quotes
import json

import yaml


def format_header(name: str, description: str, type: str) -> str:
    def value(text):
        try:
            plain = yaml.safe_load(f"key: {text}") == {"key": text}
        except Exception:
            plain = False
        if plain:
            return text
        if '"' in text:
            return "'" + text.replace("'", "''") + "'"
        return json.dumps(text, ensure_ascii=False)

    return (
        "---\n"
        f"name: {value(name)}\n"
        f"description: {value(description)}\n"
        f"type: {value(type)}\n"
        "---\n"
    )
