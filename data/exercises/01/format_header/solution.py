import json

import yaml


def format_header(name: str, description: str, type: str) -> str:
    def spell(value):
        try:
            if yaml.safe_load(f"key: {value}") == {"key": value}:
                return value
        except (yaml.YAMLError, ValueError):
            pass
        return json.dumps(value, ensure_ascii=False)

    return (
        "---\n"
        f"name: {spell(name)}\n"
        f"description: {spell(description)}\n"
        f"type: {spell(type)}\n"
        "---\n"
    )
