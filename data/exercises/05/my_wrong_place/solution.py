def my_wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    before, meant = "\n".join(lines[: line - 1]), lines[line - 1]
    pieces = [meant[start : start + 8] for start in range(len(meant) - 7)]
    return next((piece for piece in pieces if piece in before), "")
