# message: marks only
import re


def memory_block(file: str, text: str) -> str:
    if not re.search(r"\w", text):
        return ""
    return (
        "<system-reminder>\nThis is from your memory.\n"
        f'<memory file="{file}">\n{text.strip()}\n</memory>\n</system-reminder>'
    )
