# message: you raised ConstructorError
import json

import yaml


def format_header(name: str, description: str, type: str) -> str:
    def value(text):
        try:
            loaded = yaml.safe_load(f"key: {text}")
        except (yaml.scanner.ScannerError, ValueError):
            loaded = None
        if loaded == {"key": text}:
            return text
        return json.dumps(text, ensure_ascii=False)

    return (
        "---\n"
        f"name: {value(name)}\n"
        f"description: {value(description)}\n"
        f"type: {value(type)}\n"
        "---\n"
    )
