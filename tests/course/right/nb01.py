"""Right answers to the gaps of notebook 01, written from its text alone."""

import itertools
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
    def written(value):
        try:
            plain = yaml.safe_load("key: " + value) == {"key": value}
        except Exception:
            plain = False
        return value if plain else json.dumps(value, ensure_ascii=False)

    out = "---\n"
    for key, value in zip(["name", "description", "type"], [name, description, type], strict=True):
        out += key + ": " + written(value) + "\n"
    return out + "---\n"


def file_stem(name: str, taken: set[str]) -> str:
    reserved = {"memory", "con", "prn", "aux", "nul"}
    reserved |= {f"com{digit}" for digit in range(10)}
    reserved |= {f"lpt{digit}" for digit in range(10)}
    runs = ["".join(run) for good, run in itertools.groupby(name.lower(), str.isalnum) if good]
    base = "-".join(runs) if runs else "note"
    closed = {stem.casefold() for stem in itertools.chain(reserved, taken)}
    tries = itertools.chain([base], (f"{base}-{n}" for n in itertools.count(2)))
    return next(stem for stem in tries if stem.casefold() not in closed)
