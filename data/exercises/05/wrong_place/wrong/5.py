# message: The line does have a piece of 8 characters that is further up
from difflib import SequenceMatcher


def wrong_place(text: str, line: int) -> str:
    lines = text.split("\n")
    target = lines[line - 1]
    before = "\n".join(lines[: line - 1])
    match = SequenceMatcher(None, target, before).find_longest_match()
    part = target[match.a : match.a + match.size]
    return part if len(part) >= 8 else ""
