"""Contents of one block and of several, of every kind, with and without marks."""

from random import Random
from typing import Any

from memlab.course.exercise import Case, case

MARK = {"type": "ephemeral"}
LAST = "The last block has the mark"
KEY = "The mark is a key of the last block, and not another block"
OTHERS = "The other blocks stay as they are"
REPLACED = "The new mark replaces an old one"


def cases(random: Random) -> list[Case]:
    """Make contents of messages."""
    hello = _text("Hello.")
    bye = _text("Bye.")
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "22 passed",
    }
    long_mark = {"type": "ephemeral", "ttl": "1h"}
    contents: list[tuple[list[dict[str, Any]], str]] = [
        ([hello], f"{LAST}; {KEY}"),
        ([hello, bye], f"{LAST}; {OTHERS}"),
        ([result], LAST),
        ([_text("Look:"), result], LAST),
        ([result, hello], LAST),
        ([hello, bye, dict(hello)], f"{LAST}; {OTHERS}"),
        ([hello, dict(hello)], OTHERS),
        ([{**hello, "cache_control": long_mark}, bye], OTHERS),
        ([hello, {**bye, "cache_control": long_mark}], REPLACED),
        ([{**hello, "cache_control": MARK}], LAST),
    ]
    for _ in range(6):
        blocks = [
            _text(f"line {random.randint(1, 99)}")
            for _ in range(random.randint(1, 6))
        ]
        contents.append((blocks, f"{LAST}; {OTHERS}"))
    return [
        case(
            (blocks,),
            [*blocks[:-1], blocks[-1] | {"cache_control": MARK}],
            rule,
        )
        for blocks, rule in contents
    ]


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
