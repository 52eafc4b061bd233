# message: at both ends
def memory_block(file: str, text: str) -> str:
    text = text.rstrip()
    if not text:
        return ""
    return (
        "<system-reminder>\nThis is from your memory.\n"
        f'<memory file="{file}">\n{text}\n</memory>\n</system-reminder>'
    )
