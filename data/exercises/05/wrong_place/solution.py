def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    before = "\n".join(lines[: line - 1])
    meant = lines[line - 1]
    for start in range(len(meant) - 7):
        piece = meant[start : start + 8]
        if piece in before:
            return piece
    return ""
