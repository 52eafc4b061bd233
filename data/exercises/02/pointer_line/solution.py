def pointer_line(file: str, title: str, hook: str) -> str:
    line = f"- [{title}]({file})"
    if hook:
        line += f" — {hook}"
    return line
