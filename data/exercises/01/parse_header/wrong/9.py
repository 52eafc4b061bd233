# message: you raised AttributeError
import yaml


def parse_header(text: str) -> dict[str, str]:
    empty = {"name": "", "description": "", "type": "", "body": ""}
    text = text.removeprefix("\ufeff")
    lines = text.split("\n")
    ends = [
        i for i, line in enumerate(lines) if i > 0 and line in ("---", "---\r")
    ]
    if lines[0] not in ("---", "---\r") or not ends:
        return empty
    end = ends[0]
    try:
        data = yaml.load("\n".join(lines[1:end]), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return empty
    body = "\n".join(lines[end + 1 :])
    meta = data.get("metadata")
    if not isinstance(meta, dict):
        meta = {}
    return {
        "name": data.get("name", ""),
        "description": data.get("description", ""),
        "type": data.get("type", meta.get("type", "")),
        "body": body,
    }
