# message: the body may contain --- lines
import re

import yaml


def parse_header(text: str) -> dict[str, str]:
    empty = {"name": "", "description": "", "type": "", "body": ""}
    match = re.match(
        r"\ufeff?---\r?\n(.*\n)?---(?:\r?\n|\Z)(.*)", text, re.DOTALL
    )
    if match is None:
        return empty
    try:
        data = yaml.load(match[1] or "", Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return empty
    body = match[2]
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
