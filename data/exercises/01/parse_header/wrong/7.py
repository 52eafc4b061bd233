# message: quotes around a value
def parse_header(text: str) -> dict[str, str]:
    result = {"name": "", "description": "", "type": "", "body": ""}
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[0].strip() != "---":
        return result
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip("\r") == "---":
            result["body"] = "\n".join(lines[number + 1 :])
            return result
        key, colon, value = line.partition(":")
        if colon and key.strip() in ("name", "description", "type"):
            result[key.strip()] = value.strip().strip("'\"")
    return {"name": "", "description": "", "type": "", "body": ""}
