# message: two
def truncate_index(text, max_lines, max_bytes):
    kept = ""
    for line in text.splitlines(keepends=True)[:max_lines]:
        if len(kept) + len(line) > max_bytes:
            break
        kept += line
    return kept
