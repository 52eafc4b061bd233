# message: you returned '- [Sets like sets.md](sets.md) — for a HOOK'
def pointer_line(file: str, title: str, hook: str) -> str:
    link = f"- [{title}]({{file}})".format(file=file)
    if not hook:
        return link
    return link + " — " + hook
