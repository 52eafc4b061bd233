# message: every value is a string
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

    class Loader(yaml.SafeLoader):
        pass

    kept_out = ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")
    Loader.yaml_implicit_resolvers = {
        first: [
            (tag, regexp) for tag, regexp in resolvers if tag not in kept_out
        ]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    try:
        data = yaml.load("\n".join(lines[1:end]), Loader=Loader)
    except yaml.YAMLError:
        return empty
    body = "\n".join(lines[end + 1 :])
    if not isinstance(data, dict):
        data = {}
    meta = data.get("metadata")
    if "type" not in data and isinstance(meta, dict):
        data["type"] = meta.get("type")
    result = {}
    for key in ("name", "description", "type"):
        value = data.get(key)
        result[key] = "" if value is None else str(value)
    return result | {"body": body}
