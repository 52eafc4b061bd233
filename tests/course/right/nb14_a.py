"""Right answers to the gaps of notebook 14, each of which stands alone."""


def keep_tail(
    messages: list[tuple[int, str]],
    min_tokens: int,
    min_texts: int,
    max_tokens: int,
) -> int:
    first = len(messages)
    tokens = 0
    texts = 0
    for index in range(len(messages) - 1, -1, -1):
        size, kind = messages[index]
        tokens += size
        if kind == "text":
            texts += 1
        if tokens > max_tokens:
            break
        if kind == "result":
            continue
        first = index
        if tokens >= min_tokens and texts >= min_texts:
            break
    return first


def may_append(path: str, before: str, after: str, today: str) -> bool:
    year, month, _ = today.split("-")
    if path != f"logs/{year}/{month}/{today}.md":
        return False
    kept = before
    if kept and not kept.endswith("\n"):
        kept += "\n"
    if not after.startswith(kept):
        return False
    added = after[len(kept) :]
    return added.strip() != ""


def log_tail(text: str, most: int) -> str:
    kept = ""
    for line in reversed(text.splitlines(keepends=True)):
        longer = line + kept
        if len(longer.encode()) > most:
            break
        kept = longer
    return kept
