# message: Only upper and lower case differ.
def pointer_line(file: str, title: str, hook: str) -> str:
    parts = [f"- [{title.title()}]({file})"]
    if hook:
        parts.append(hook)
    return " — ".join(parts)
