# message: stays as it is
def memory_block(file: str, text: str) -> str:
    body = "\n".join(line.strip() for line in text.strip().splitlines())
    if not body:
        return ""
    return (
        "<system-reminder>\nThis is from your memory.\n"
        f'<memory file="{file}">\n{body}\n</memory>\n</system-reminder>'
    )
