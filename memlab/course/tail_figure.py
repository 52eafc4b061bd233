"""The picture of notebook 14: tails of a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memlab.course.pictures import OUTPUT_WIDTH, SMALL, Fill, Picture


def counted(number: int, word: str) -> str:
    """Write a number before its noun."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


_LEFT, _RIGHT = 24, OUTPUT_WIDTH - 24
_KINDS: dict[str, Fill] = {
    "text": "blue",
    "call": "plain",
    "result": "hatched",
}


def draw_tails(
    messages: Sequence[tuple[int, str]], begins: Mapping[str, int]
) -> Picture:
    """Draw a conversation once for each way to cut it: a box per message, as
    wide as its tokens, and a frame around the tail.

    ``messages`` are pairs of tokens and kind, and ``begins`` says at which
    message each tail begins.
    """
    said = []
    for name, first in begins.items():
        tail = messages[first:]
        tokens = sum(size for size, _ in tail)
        texts = sum(kind == "text" for _, kind in tail)
        begins_with = f"begins with a {tail[0][1]}" if tail else "empty"
        said.append(
            f"{name}: {counted(len(tail), 'message')},"
            f" {counted(tokens, 'token')}, {counted(texts, 'text')},"
            f" {begins_with}"
        )
    picture = Picture(
        "Where the tail begins",
        "The same messages in each row, oldest on the left, with a frame"
        f" around the tail. {'. '.join(said)}.",
        height=92 + 92 * len(begins),
        width=OUTPUT_WIDTH,
    )
    scale = (_RIGHT - _LEFT) / sum(size for size, _ in messages)
    for row, (first, words) in enumerate(
        zip(begins.values(), said, strict=True)
    ):
        y = 66.0 + 92 * row
        picture.text(_LEFT, y, words, size=SMALL)
        x = float(_LEFT)
        frame = float(_RIGHT)
        for number, (size, kind) in enumerate(messages):
            if number == first:
                frame = x
            width = size * scale
            picture.box(x, y + 14, width, 40, fill=_KINDS[kind])
            x += width
        for top in (y + 9, y + 59):
            picture.line((frame - 2, top), (_RIGHT + 2, top))
        for side in (frame - 2, _RIGHT + 2):
            picture.line((side, y + 9), (side, y + 59))
    bottom = 66 + 92 * len(begins)
    x = float(_LEFT)
    for kind, fill in _KINDS.items():
        picture.box(x, bottom - 6, 30, 18, fill=fill)
        picture.text(x + 38, bottom + 8, kind, size=SMALL)
        x += 120
    return picture
