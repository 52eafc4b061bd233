def my_parse_header(text: str) -> dict[str, str]:
    found = dict.fromkeys(("name", "description", "type", "body"), "")
    lines = text.splitlines(keepends=True)
    fences = [n for n, line in enumerate(lines) if line.rstrip() == "---"][:2]
    if len(fences) < 2 or fences[0] != 0:
        return found
    for line in lines[1 : fences[1]]:
        key, _, value = line.partition(":")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        if key in found:
            found[key] = value
    found["body"] = "".join(lines[fences[1] + 1 :])
    return found
