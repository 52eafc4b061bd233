# message: The shell has to give find exactly the words '.' and '-delete'
def hidden_delete(forbidden: list[str]) -> str:
    if not any(text in "find . -delete" for text in forbidden):
        return "find . -delete"
    if "\\" not in forbidden:
        return "find . " + "".join("\\" + letter for letter in "-delete")
    quote = "'" if "'" not in forbidden else '"'
    return "find " + quote + (quote * 2).join(". -delete") + quote
