# message: 'description': 'no'
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
    merged = {**meta, **data} if isinstance(meta, dict) else data
    result = {
        key: merged.get(key, "") for key in ("name", "description", "type")
    }
    return result | {"body": body}
