# message: you returned '- [Tabs](tabs.md) — Robin leaves for the
def pointer_line(file: str, title: str, hook: str) -> str:
    line = f"- [{title}]({file})"
    if hook:
        short = hook if len(hook) <= 60 else hook[:59] + "…"
        line += f" — {short}"
    return line
