"""Right answers to the gaps of notebook 02, written from its text alone."""


def pointer_line(file: str, title: str, hook: str) -> str:
    link = f"- [{title}]({file})"
    return " — ".join([link, hook]) if hook else link


def truncate_index(text: str, max_lines: int, max_bytes: int) -> str:
    # First limit: the position after the max_lines-th "\n".
    stop = 0
    for _ in range(max_lines):
        found = text.find("\n", stop)
        if found < 0:
            stop = len(text)
            break
        stop = found + 1
    data = text[:stop].encode("utf-8")
    if len(data) <= max_bytes:
        return text[:stop]
    # Second limit: the last "\n" among the first max_bytes bytes.
    cut = data[:max_bytes].rfind(b"\n")
    if cut >= 0:
        return data[: cut + 1].decode("utf-8")
    # Step back over continuation bytes (10xxxxxx).
    end = max_bytes
    while end > 0 and data[end] & 0b1100_0000 == 0b1000_0000:
        end -= 1
    return data[:end].decode("utf-8")
