# message: stays as it is
from html import escape


def memory_block(file: str, text: str) -> str:
    body = escape(text.strip(), quote=False)
    if not body:
        return ""
    return (
        "<system-reminder>\nThis is from your memory.\n"
        f'<memory file="{file}">\n{body}\n</memory>\n</system-reminder>'
    )
