"""``python -m tests.notebooks.maps``: draw the maps of the memory system.

A map shows where memory is kept, and how it gets into and out of a request. There is one SVG per
notebook, in which the boxes of that notebook are highlighted, by a frame and a mark as well as by
colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

_WIDTH, _HEIGHT = 880, 436
_BOX_WIDTH, _BOX_HEIGHT = 168, 62
_LIT, _DIM, _INK, _FAINT = "#FFE08A", "#FFFFFF", "#1A1A1A", "#6B6B6B"


@dataclass(frozen=True)
class Box:
    """One part of the system: its position in the picture, and the notebook
    that teaches it.
    """

    key: str
    title: str
    below: str
    notebook: int
    x: int
    y: int


@dataclass(frozen=True)
class Arrow:
    """An arrow along some points, perhaps with a word beside it."""

    points: tuple[tuple[int, int], ...]
    word: str = ""
    at: tuple[int, int] = (0, 0)


BOXES = (
    Box("files", "memory files", "one fact, one file", 1, 24, 165),
    Box("index", "index", "one line a file", 2, 232, 60),
    Box("scan", "scan", "headers, newest first", 3, 232, 165),
    Box("prompt", "system prompt", "holds the index", 2, 446, 60),
    Box("recall", "recall", "at most five files", 4, 446, 165),
    Box("loop", "agent loop", "request, tools, answer", 5, 672, 112),
    Box("fork", "fork", "the same prefix", 6, 672, 246),
    Box("sandbox", "sandbox", "what a fork may do", 7, 672, 338),
    Box("extract", "extraction", "after each turn", 8, 446, 246),
    Box("gates", "gates and lock", "is a dream due?", 9, 446, 338),
    Box("dream", "dream", "a fork that tidies up", 10, 232, 338),
)
ARROWS = (
    Arrow(((108, 165), (108, 91), (232, 91)), "pointers", (115, 84)),
    Arrow(((400, 91), (446, 91))),
    Arrow(((192, 196), (232, 196))),
    Arrow(((400, 196), (446, 196))),
    Arrow(((614, 91), (643, 91), (643, 133), (672, 133))),
    Arrow(((614, 196), (643, 196), (643, 155), (672, 155))),
    Arrow(((756, 174), (756, 246)), "turn ends", (764, 214)),
    Arrow(((756, 338), (756, 308)), "limits", (764, 327)),
    Arrow(((672, 277), (614, 277))),
    Arrow(((446, 277), (150, 277), (150, 227)), "new memories", (250, 270)),
    Arrow(
        ((840, 143), (860, 143), (860, 418), (530, 418), (530, 400)),
        "turn ends",
        (764, 413),
    ),
    Arrow(((446, 369), (400, 369))),
    Arrow(((232, 369), (66, 369), (66, 227)), "merged, corrected", (74, 362)),
)


def system_map(notebook: int) -> str:
    """Draw the map as SVG, with the boxes of a notebook highlighted.

    If a notebook has no box, all of them are.
    """
    highlighted = {box.key for box in highlighted_boxes(notebook)}
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH}'
            f' {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img"'
            ' aria-labelledby="title desc" font-family="system-ui,'
            ' -apple-system, Segoe UI, Helvetica, Arial, sans-serif">'
        ),
        '<title id="title">How a coding agent remembers</title>',
        f'<desc id="desc">{escape(map_alt(notebook))}</desc>',
        (
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5"'
            ' markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10'
            f' 5L0 10z" fill="{_FAINT}"/></marker></defs>'
        ),
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#FAFAF7"/>',
        (
            '<text x="30" y="32" font-size="15" font-weight="600"'
            f' fill="{_INK}">How a coding agent remembers</text>'
        ),
        *map(_draw_arrow, ARROWS),
        *(_draw_box(box, box.key in highlighted) for box in BOXES),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def map_alt(notebook: int) -> str:
    """Say in words what the map shows; the alternative text for the picture."""
    highlighted = ", ".join(box.title for box in highlighted_boxes(notebook))
    here = (
        f"Highlighted: {highlighted}."
        if len(highlighted_boxes(notebook)) < len(BOXES)
        else "All boxes are highlighted."
    )
    return (
        "Memory files feed the index, which is in the system prompt, and"
        " the scan, which feeds recall; both reach the agent loop. When a"
        " turn ends, a fork within the limits of a sandbox runs extraction,"
        " which writes new memory files; and gates and a lock decide whether"
        f" a dream is due, which merges and corrects them. {here}"
    )


def highlighted_boxes(notebook: int) -> tuple[Box, ...]:
    """Give the boxes a notebook teaches; all of them for the first and the
    last notebook.
    """
    return tuple(box for box in BOXES if box.notebook == notebook) or BOXES


def write_maps(notebooks: Path) -> list[Path]:
    """Write ``images/map_NN.svg`` for every notebook in a folder; gives the
    files' paths.
    """
    folder = notebooks / "images"
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for notebook in sorted(notebooks.glob("[0-9][0-9]_*.ipynb")):
        path = folder / f"map_{notebook.name[:2]}.svg"
        path.write_bytes(system_map(int(notebook.name[:2])).encode("utf-8"))
        written.append(path)
    return written


def _draw_box(box: Box, highlighted: bool) -> str:
    middle = box.x + _BOX_WIDTH // 2
    mark = "▸ " if highlighted else ""
    return (
        f'<g><rect x="{box.x}" y="{box.y}" width="{_BOX_WIDTH}"'
        f' height="{_BOX_HEIGHT}" rx="9" fill="{_LIT if highlighted else _DIM}"'
        f' stroke="{_INK if highlighted else _FAINT}"'
        f' stroke-width="{3 if highlighted else 1}"/><text x="{middle}"'
        f' y="{box.y + 27}" text-anchor="middle" font-size="15"'
        f' font-weight="{700 if highlighted else 500}"'
        f' fill="{_INK}">{mark}{escape(box.title)}</text><text x="{middle}"'
        f' y="{box.y + 46}" text-anchor="middle" font-size="11"'
        f' fill="{_INK if highlighted else _FAINT}">{escape(box.below)} ·'
        f" {box.notebook:02d}</text></g>"
    )


def _draw_arrow(arrow: Arrow) -> str:
    points = " ".join(f"{x},{y}" for x, y in arrow.points)
    line = (
        f'<polyline points="{points}" fill="none" stroke="{_FAINT}"'
        ' stroke-width="1.6" marker-end="url(#tip)"/>'
    )
    word = (
        f'<text x="{arrow.at[0]}" y="{arrow.at[1]}" font-size="11"'
        f' fill="{_FAINT}">{escape(arrow.word)}</text>'
    )
    return line + (word if arrow.word else "")


if __name__ == "__main__":
    write_maps(Path(__file__).parents[2] / "notebooks")
