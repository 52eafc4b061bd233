# message: The end is missing: ' — 0'.
def pointer_line(file: str, title: str, hook: str) -> str:
    line = f"- [{title}]({file})"
    if " " in hook:
        line += " — " + hook
    return line
