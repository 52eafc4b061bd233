def hidden_delete(forbidden: list[str]) -> str:
    if "\\" not in forbidden:
        return "find . " + "".join("\\" + letter for letter in "-delete")
    quote = "'" if "'" not in forbidden else '"'
    return "find . " + "".join(quote + letter + quote for letter in "-delete")
