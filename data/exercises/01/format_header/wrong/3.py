# message: you raised ScannerError
import json

import yaml


def format_header(name: str, description: str, type: str) -> str:
    def value(text):
        if ": " not in text and yaml.safe_load(f"key: {text}") == {
            "key": text
        }:
            return text
        return json.dumps(text, ensure_ascii=False)

    return (
        "---\n"
        f"name: {value(name)}\n"
        f"description: {value(description)}\n"
        f"type: {value(type)}\n"
        "---\n"
    )
