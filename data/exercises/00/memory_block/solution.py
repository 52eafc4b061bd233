def memory_block(file: str, text: str) -> str:
    body = text.strip()
    if not body:
        return ""
    return (
        "<system-reminder>\n"
        "This is from your memory.\n"
        f'<memory file="{file}">\n'
        f"{body}\n"
        "</memory>\n"
        "</system-reminder>"
    )
