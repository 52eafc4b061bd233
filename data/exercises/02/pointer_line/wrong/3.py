# message: you returned - '- [The LOCKsets.md and its TITLE](sets.md) — for '
def pointer_line(file: str, title: str, hook: str) -> str:
    pattern = "- [TITLE](FILE) — HOOK" if hook else "- [TITLE](FILE)"
    return (
        pattern.replace("TITLE", title)
        .replace("FILE", file)
        .replace("HOOK", hook)
    )
