# message: The end is missing: ' — see the board'.
def pointer_line(file: str, title: str, hook: str) -> str:
    hook = hook.split("—")[0].strip()
    line = f"- [{title}]({file})"
    return f"{line} — {hook}" if hook else line
