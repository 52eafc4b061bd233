"""Right answers to the gaps of notebook 14, written from its text alone."""


def keep_tail(
    messages: list[tuple[int, str]],
    min_tokens: int,
    min_texts: int,
    max_tokens: int,
) -> int:
    best = index = len(messages)
    tokens = texts = 0
    for size, kind in reversed(messages):
        index -= 1
        tokens += size
        texts += kind == "text"
        if tokens > max_tokens:
            break
        if kind == "result":
            continue
        best = index
        if tokens >= min_tokens and texts >= min_texts:
            break
    return best


def may_append(path: str, before: str, after: str, today: str) -> bool:
    year, month, _ = today.split("-")
    if path != "/".join(["logs", year, month, today + ".md"]):
        return False
    if after[: len(before)] != before:
        return False
    added = after[len(before) :]
    if before and before[-1] != "\n" and added[:1] != "\n":
        return False
    return bool(added) and not added.isspace()


def log_tail(text: str, most: int) -> str:
    data = text.encode()
    start = max(0, len(data) - most)
    # A line begins at 0 or after a "\n"; go forward to the next such place.
    while 0 < start < len(data) and data[start - 1] != 10:
        start += 1
    return data[start:].decode()
