# message: white space
def manifest_line(header) -> str:
    def squash(text):
        text = text.replace("\r\n", " ").replace("\n", " ")
        while "  " in text:
            text = text.replace("  ", " ")
        return text.strip()

    kind = "" if header.type is None else f"[{header.type}] "
    time = header.mtime.strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"- {kind}{squash(header.filename)} ({time}): {squash(header.description)}"
