# message: you raised ValueError
import json

import yaml


def format_header(name: str, description: str, type: str) -> str:
    def value(text):
        try:
            plain = yaml.safe_load(f"key: {text}") == {"key": text}
        except yaml.YAMLError:
            plain = False
        return text if plain else json.dumps(text, ensure_ascii=False)

    return (
        "---\n"
        f"name: {value(name)}\n"
        f"description: {value(description)}\n"
        f"type: {value(type)}\n"
        "---\n"
    )
