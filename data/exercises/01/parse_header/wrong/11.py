# message: a header may be empty
import yaml


def parse_header(text: str) -> dict[str, str]:
    empty = {"name": "", "description": "", "type": "", "body": ""}
    text = text.removeprefix("\ufeff")
    lines = text.splitlines(keepends=True)
    if lines[0].strip() != "---":
        return empty
    for end in range(1, len(lines)):
        if lines[end].strip() == "---":
            break
    else:
        return empty
    try:
        header = yaml.load("".join(lines[1:end]), Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return empty
    if not isinstance(header, dict):
        return empty
    metadata = header.get("metadata", {})
    if not isinstance(metadata, dict):
        metadata = {}
    return {
        "name": header.get("name", ""),
        "description": header.get("description", ""),
        "type": header.get("type", metadata.get("type", "")),
        "body": "".join(lines[end + 1 :]),
    }
