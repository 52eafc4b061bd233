"""Other right answers to the gaps of notebook 01."""

import itertools
import json

import yaml


def parse_header(text: str) -> dict[str, str]:
    keys = ("name", "description", "type", "body")
    failure = dict.fromkeys(keys, "")
    if text[:1] == "\ufeff":
        text = text[1:]

    # Walk over the lines by position, so that the body stays untouched.
    def line_at(start):
        stop = text.find("\n", start)
        if stop < 0:
            return text[start:], len(text), True
        line = text[start:stop]
        if line[-1:] == "\r":
            line = line[:-1]
        return line, stop + 1, False

    first, begin, at_end = line_at(0)
    if first != "---" or at_end:
        return failure
    place = begin
    while True:
        line, after, at_end = line_at(place)
        if line == "---":
            break
        if at_end:
            return failure
        place = after

    try:
        tree = yaml.load(text[begin:place], Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, TypeError, RecursionError):
        return failure
    if tree is None:
        tree = {}
    if type(tree) is not dict:
        return failure

    candidates = {key: [tree.get(key)] for key in keys[:3]}
    below = tree.get("metadata")
    if type(below) is dict:
        candidates["type"].append(below.get("type"))

    answer = dict(failure)
    for key, values in candidates.items():
        for value in values:
            if value is None or value == "":
                continue
            if not isinstance(value, str):
                return failure
            answer[key] = value
            break
    answer["body"] = text[after:]
    return answer


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
