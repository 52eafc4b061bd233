"""Draws what a dream does: the memories as books on a shelf, before and after
it, and its receipt as a coloured diff.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from memlab.course.pictures import (
    OUTPUT_WIDTH,
    SMALL,
    Fill,
    Picture,
)
from memlab.dream.receipt import Receipt
from memlab.memdir.places import INDEX

_COLUMNS = 5
_BOOK = (150, 60)
_GAP = 6
_LETTERS = 100
_LETTER = 7.8
_LINE = 20
_TONES: Mapping[str, Fill] = {"+": "green", "-": "red", "@": "grey"}


def draw_shelves(
    before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> Picture:
    """Draw the memories before and after a dream as books on two shelves.

    A book keeps its place. The index is the last book.
    """
    names = sorted({*before, *after} - {INDEX})
    names += [INDEX] if INDEX in {*before, *after} else []
    gone = [name for name in names if name not in after]
    new = [name for name in names if name not in before]
    changed = [
        name
        for name in names
        if name in before and name in after and before[name] != after[name]
    ]
    parts = [
        f"{len(before)} books before, {len(after)} after.",
        f"Gone: {_listed(gone)}.",
        f"New: {_listed(new)}.",
        f"Changed: {_listed(changed)}.",
        "The others are the same.",
    ]
    rows = -(-len(names) // _COLUMNS)
    shelf = rows * (_BOOK[1] + _GAP) + 44
    picture = Picture(
        "The shelf before and after the dream",
        "The memory directory as two shelves of books. " + " ".join(parts),
        height=70 + 2 * shelf,
        width=OUTPUT_WIDTH,
    )
    for number, (title, files) in enumerate(
        (("before", before), ("after", after))
    ):
        top = 52 + number * shelf
        picture.text(24, top + 14, title, bold=True)
        for place, name in enumerate(names):
            row, column = divmod(place, _COLUMNS)
            x = 24 + column * (_BOOK[0] + _GAP)
            y = top + 24 + row * (_BOOK[1] + _GAP)
            fill, note = _look(name, before, after, is_after=number == 1)
            shown = name in files
            picture.box(
                x,
                y,
                *_BOOK,
                _title(name) if shown else "",
                below=note,
                fill=fill,
                dashed=not shown,
                size=SMALL,
            )
    return picture


def _look(
    name: str,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    *,
    is_after: bool,
) -> tuple[Fill, str]:
    if name not in after:
        return ("grey", "gone") if is_after else ("red", "will go")
    if name not in before:
        return ("green", "new") if is_after else ("grey", "")
    if before[name] == after[name]:
        return "plain", ""
    return ("green", "changed") if is_after else ("plain", "")


def _title(name: str) -> str:
    return (
        name if name == INDEX else name.removesuffix(".md").replace("-", " ")
    )


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"


def draw_receipt(receipt: Receipt, *files: str) -> Picture:
    """Draw the changes of a receipt as a diff: what comes is green and begins
    with +, what goes is red and begins with -.

    ``files`` are those to be shown; without any, all are.
    """
    lines = []
    for change in receipt.changes:
        if files and change.file not in files:
            continue
        verdict = "left as it was" if change.refused else "accepted"
        lines.append(f"@ {change.line} · {verdict}")
        lines += [
            f"{line[0]} {line[1:]}"
            for line in receipt.diffs.get(change.file, "").splitlines()[2:]
            if line[:1] in ("+", "-") and line[1:].strip()
        ]
    wrapped = [
        (line[0], part if number == 0 else f"  {part}")
        for line in lines
        for number, part in enumerate(
            textwrap.wrap(line, _LETTERS - 2) or [line]
        )
    ]
    picture = Picture(
        "The receipt as a diff",
        "\n".join(lines),
        height=64 + _LINE * len(wrapped),
        width=OUTPUT_WIDTH,
    )
    for number, (sign, text) in enumerate(wrapped):
        y = 50 + _LINE * number
        picture.band(16, y, OUTPUT_WIDTH - 32, _LINE, fill=_TONES[sign])
        picture.code(24, y + 14, text, width=_LETTER * len(text))
    return picture
