# message: a type at the top level counts more
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
    if not isinstance(data, dict):
        data = {}
    meta = data.get("metadata")
    result = {
        key: data.get(key, "") for key in ("name", "description", "type")
    }
    if isinstance(meta, dict) and "type" in meta:
        result["type"] = meta["type"]
    result["body"] = body
    return result
