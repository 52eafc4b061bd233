# message: a header has five lines
import yaml


def format_header(name: str, description: str, type: str) -> str:
    def value(text):
        try:
            if yaml.safe_load(f"key: {text}") == {"key": text}:
                return text
        except Exception:
            pass
        return yaml.safe_dump(text, default_style='"').strip()

    return (
        "---\n"
        f"name: {value(name)}\n"
        f"description: {value(description)}\n"
        f"type: {value(type)}\n"
        "---\n"
    )
