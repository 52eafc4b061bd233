# message: at both ends
def memory_block(file: str, text: str) -> str:
    if not text.strip():
        return ""
    body = text.removesuffix("\n")
    return "\n".join(
        [
            "<system-reminder>",
            "This is from your memory.",
            f'<memory file="{file}">',
            body,
            "</memory>",
            "</system-reminder>",
        ]
    )
