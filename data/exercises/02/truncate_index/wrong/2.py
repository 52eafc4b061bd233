# message: from the top
def truncate_index(text, max_lines, max_bytes):
    lines = text.splitlines(keepends=True)[-max_lines:]
    return "".join(lines)
