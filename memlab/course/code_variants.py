"""Shows answers in code side by side, with white space visible and the
differences marked.

A tab is shown as →, a space at the beginning or the end of a line as ·, and
what differs from the last answer is underlined and has a yellow background.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher

from memlab.course.pictures import (
    INK,
    MARKED,
    NORMAL,
    OUTPUT_WIDTH,
    SMALL,
    Picture,
)

_LETTER = 7.83
"""Pixels; the width of a letter of a fixed-width font at 13 px."""
_LINE = 20
_TAB = 4
_COLOURS = {
    "Keyword": "#7A1FA2",
    "String": "#1B5E20",
    "Comment": "#595959",
    "Number": "#0B4F8A",
}
Spans = list[tuple[int, int]]


def compare_code(
    title: str, variants: Mapping[str, str], language: str = "python"
) -> Picture:
    """Draw up to three pieces of code side by side, each below its name.

    Each is compared with the last one, and the last with the first. The
    picture's text alternative contains the code of every variant. Raises
    ValueError for no variant or more than three.
    """
    if not 1 <= len(variants) <= 3:
        raise ValueError(f"1 to 3 variants can be shown, not {len(variants)}")
    texts = [text.strip("\n") for text in variants.values()]
    width = (OUTPUT_WIDTH - 48 - 16 * (len(texts) - 1)) / len(texts)
    letters = int((width - 20) / _LETTER)
    columns = []
    for number, text in enumerate(texts):
        other = texts[0] if number == len(texts) - 1 else texts[-1]
        columns.append(_column(text, other, letters, language))
    height = 116 + _LINE * max(len(column) for column in columns)
    picture = Picture(
        title, _in_words(title, variants), height=height, width=OUTPUT_WIDTH
    )
    for number, (name, column) in enumerate(
        zip(variants, columns, strict=True)
    ):
        x = 24 + (width + 16) * number
        picture.text(x, 64, name, size=NORMAL, bold=True)
        picture.box(x, 74, width, 12 + _LINE * len(column))
        for row, pieces in enumerate(column):
            _draw_row(picture, x + 10, 94 + _LINE * row, pieces)
    picture.text(
        24,
        height - 12,
        "→ tab   · space   yellow and underlined: different",
        size=SMALL,
        faint=True,
    )
    return picture


Piece = tuple[str, str, bool]
"""Some letters as they are shown, their colour, and whether they differ."""


def _column(
    text: str, other: str, letters: int, language: str
) -> list[list[Piece]]:
    """Return the rows of one variant; a line that is too long goes on in the
    next row.
    """
    differs = [False] * len(text)
    matcher = SequenceMatcher(None, other, text, autojunk=False)
    for tag, _, _, start, end in matcher.get_opcodes():
        if tag != "equal":
            differs[start:end] = [True] * (end - start)
    colours = _colours(text, language)
    rows: list[list[Piece]] = []
    position = 0
    for line in text.split("\n"):
        row: list[Piece] = []
        used = 0
        for index in range(len(line)):
            shown = _shown(line, index)
            if used + len(shown) > letters:
                rows.append(row)
                row, used = [("↪ ", "#595959", False)], 2
            at = position + index
            row.append((shown, colours[at], differs[at]))
            used += len(shown)
        rows.append(row)
        position += len(line) + 1
    return rows


def _shown(line: str, index: int) -> str:
    letter = line[index]
    if letter == "\t":
        return "→".ljust(_TAB)
    outside = not line[:index].strip() or not line[index:].strip()
    return "·" if letter == " " and outside else letter


def _colours(text: str, language: str) -> list[str]:
    from pygments import lex
    from pygments.lexers import get_lexer_by_name

    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    colours: list[str] = []
    for kind, part in lex(text, lexer):
        colour = next(
            (
                colour
                for name, colour in _COLOURS.items()
                if name in str(kind).split(".")
            ),
            INK,
        )
        colours += [colour] * len(part)
    return colours


def _draw_row(
    picture: Picture, x: float, y: float, pieces: list[Piece]
) -> None:
    column = 0
    while pieces:
        _, colour, differs = pieces[0]
        count = next(
            (
                number
                for number, piece in enumerate(pieces)
                if piece[1:] != (colour, differs)
            ),
            len(pieces),
        )
        shown = "".join(piece[0] for piece in pieces[:count])
        picture.code(
            x + column * _LETTER,
            y,
            shown,
            colour=colour,
            width=len(shown) * _LETTER,
            background=MARKED if differs else "",
        )
        column += len(shown)
        pieces = pieces[count:]


def _in_words(title: str, variants: Mapping[str, str]) -> str:
    parts = [
        f"{name}:\n{text.strip(chr(10))}" for name, text in variants.items()
    ]
    return "\n\n".join([title, *parts])
