# message: Only single quotes, double quotes and backslashes may hide a word
def hidden_delete(forbidden: list[str]) -> str:
    plain = "find . -delete"
    if not any(text in plain for text in forbidden):
        return plain
    if "\\" not in forbidden:
        return "find . \\-\\d\\e\\l\\e\\t\\e"
    return "find . " + "${x}".join("-delete")
