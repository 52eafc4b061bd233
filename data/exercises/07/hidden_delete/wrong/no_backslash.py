# message: which is forbidden
def hidden_delete(forbidden: list[str]) -> str:
    command = "find . -delete"
    if not any(text in command for text in forbidden):
        return command
    quote = "'" if "'" not in forbidden else '"'
    return "find . " + "".join(quote + letter + quote for letter in "-delete")
