"""Right answers to the gaps of notebook 01."""

import json

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
    header = {} if header is None else header
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


def format_header(name: str, description: str, type: str) -> str:
    def spell(value):
        try:
            if yaml.safe_load(f"key: {value}") == {"key": value}:
                return value
        except (yaml.YAMLError, ValueError):
            pass
        return json.dumps(value, ensure_ascii=False)

    return (
        f"---\nname: {spell(name)}\ndescription: {spell(description)}\ntype: {spell(type)}\n---\n"
    )


def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}

    spaced = ""
    for character in name.lower():
        spaced += character if character.isalnum() else " "
    stem = "-".join(spaced.split()) or "note"

    not_free = reserved | {other.lower() for other in taken}
    free = stem
    number = 2
    while free in not_free:
        free = f"{stem}-{number}"
        number += 1
    return free
