# message: stays as it is
def memory_block(file: str, text: str) -> str:
    template = """<system-reminder>
This is from your memory.
<memory file="FILE">
TEXT
</memory>
</system-reminder>"""
    text = text.strip()
    return template.replace("TEXT", text).replace("FILE", file) if text else ""
