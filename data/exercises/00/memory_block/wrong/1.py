# message: gets no block
def memory_block(file: str, text: str) -> str:
    text = text.strip("\n")
    if not text:
        return ""
    return (
        "<system-reminder>\nThis is from your memory.\n"
        f'<memory file="{file}">\n{text}\n</memory>\n</system-reminder>'
    )
