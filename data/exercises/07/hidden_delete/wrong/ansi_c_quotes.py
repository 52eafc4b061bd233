# message: Only single quotes, double quotes and backslashes may hide a word
def hidden_delete(forbidden: list[str]) -> str:
    if '"' in forbidden or "'" in forbidden:
        mark = next(m for m in ("'", '"', "\\") if m not in forbidden)
        close = "" if mark == "\\" else mark
        return "find . " + "".join(
            mark + letter + close for letter in "-delete"
        )
    if not any(text in "find . -delete" for text in forbidden):
        return "find . -delete"
    return "find . $'\\x2d\\x64\\x65\\x6c\\x65\\x74\\x65'"
