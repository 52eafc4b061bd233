# message: The end is missing: ' —'.
def pointer_line(file: str, title: str, hook: str) -> str:
    return f"- [{title}]({file}) — {hook}".rstrip(" —")
