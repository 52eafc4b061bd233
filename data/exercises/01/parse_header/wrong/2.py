# message: nothing in it is changed
import yaml


def parse_header(text: str) -> dict[str, str]:
    empty = {"name": "", "description": "", "type": "", "body": ""}
    lines = text.removeprefix("\ufeff").split("\n")
    marks = [i for i, line in enumerate(lines) if line.rstrip("\r") == "---"]
    if len(marks) < 2 or marks[0] != 0:
        return empty
    try:
        data = yaml.load(
            "\n".join(lines[1 : marks[1]]), Loader=yaml.BaseLoader
        )
    except yaml.YAMLError:
        return empty
    body = "\n".join(lines[marks[1] + 1 :]).lstrip()
    if not isinstance(data, dict):
        data = {}
    meta = data.get("metadata")
    if not isinstance(meta, dict):
        meta = {}
    return {
        "name": data.get("name", ""),
        "description": data.get("description", ""),
        "type": data["type"] if "type" in data else meta.get("type", ""),
        "body": body,
    }
