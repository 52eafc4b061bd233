# message: stays as it is
def memory_block(file: str, text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return ""
    head = [
        "<system-reminder>",
        "This is from your memory.",
        f'<memory file="{file}">',
    ]
    return "\n".join(head + lines + ["</memory>", "</system-reminder>"])
