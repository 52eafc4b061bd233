# message: those of the example
def memory_block(file: str, text: str) -> str:
    text = text.strip()
    if not text:
        return ""
    return (
        "<system-reminder>\nThis is from your memory.\n"
        f'<memory file="note.md">\n{text}\n</memory>\n</system-reminder>'
    )
