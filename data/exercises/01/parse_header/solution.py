import yaml


def parse_header(text: str) -> dict[str, str]:
    result = {"name": "", "description": "", "type": "", "body": ""}
    lines = text.removeprefix("\ufeff").split("\n")
    fences = [n for n, line in enumerate(lines) if line.rstrip() == "---"]
    if len(fences) < 2 or fences[0] != 0:
        return result
    end = fences[1]
    try:
        header = yaml.load("\n".join(lines[1:end]), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return result
    header = header or {}
    if not isinstance(header, dict):
        return result
    for key in ("name", "description", "type"):
        value = header.get(key)
        if isinstance(value, str):
            result[key] = value
    metadata = header.get("metadata")
    if not result["type"] and isinstance(metadata, dict):
        result["type"] = metadata.get("type", "")
    result["body"] = "\n".join(lines[end + 1 :])
    return result
