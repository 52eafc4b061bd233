import yaml


def parse_header(text: str) -> dict[str, str]:
    result = {"name": "", "description": "", "type": "", "body": ""}
    lines = text.removeprefix("\ufeff").split("\n")
    fences = []
    for number, line in enumerate(lines):
        if line.removesuffix("\r") == "---":
            fences.append(number)
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
    metadata = header.get("metadata")
    if not header.get("type") and isinstance(metadata, dict):
        header["type"] = metadata.get("type", "")
    values = {}
    for key in ("name", "description", "type"):
        values[key] = header.get(key, "")
        if not isinstance(values[key], str):
            return result
    values["body"] = "\n".join(lines[end + 1 :])
    return values
