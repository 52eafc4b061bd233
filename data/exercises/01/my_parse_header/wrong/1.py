# message: colon
def my_parse_header(text):
    found = dict.fromkeys(("name", "description", "type", "body"), "")
    if not text.startswith("---"):
        return found
    _, head, found["body"] = text.split("---\n", 2)
    for line in head.splitlines():
        found[line.split(":")[0]] = line.split(":")[1].strip()
    return found
