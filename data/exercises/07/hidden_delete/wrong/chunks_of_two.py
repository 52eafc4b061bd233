# message: which is forbidden
def hidden_delete(forbidden: list[str]) -> str:
    pieces = ["-d", "el", "et", "e"]
    for quote in ("'", '"'):
        if quote not in forbidden:
            return "find . " + "".join(
                quote + piece + quote for piece in pieces
            )
    return "find . \\-\\d\\e\\l\\e\\t\\e"
