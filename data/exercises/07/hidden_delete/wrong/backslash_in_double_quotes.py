# message: which is forbidden
def hidden_delete(forbidden: list[str]) -> str:
    if not any(text in "find . -delete" for text in forbidden):
        return "find . -delete"
    if "'" not in forbidden:
        return "find . " + "".join(f"'{letter}'" for letter in "-delete")
    hidden = "".join("\\" + letter for letter in "-delete")
    return "find . " + (hidden if '"' in forbidden else '"' + hidden + '"')
