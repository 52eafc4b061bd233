# message: The end is missing: 'c'.
def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    parts = text.split("\n")
    text = (
        "\n".join(parts[:max_lines]) + "\n" if len(parts) > max_lines else text
    )
    if max_lines == 0:
        return ""
    cut = text.encode()[:max_bytes].decode(errors="ignore")
    end = cut.rfind("\n")
    return cut[: end + 1] if end >= 0 else cut
