# message: you returned '- [Last-ferry-home](last-ferry-home.md)'
def pointer_line(file: str, title: str, hook: str) -> str:
    name = file.removesuffix(".md").capitalize()
    line = f"- [{name}]({file})"
    if hook:
        line += f" — {hook}"
    return line
