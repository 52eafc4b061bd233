# message: C:\\boats
import yaml


def format_header(name: str, description: str, type: str) -> str:
    def value(text):
        try:
            plain = yaml.safe_load(f"key: {text}") == {"key": text}
        except Exception:
            plain = False
        if plain:
            return text
        return '"' + text.replace('"', '\\"') + '"'

    return (
        "---\n"
        f"name: {value(name)}\n"
        f"description: {value(description)}\n"
        f"type: {value(type)}\n"
        "---\n"
    )
