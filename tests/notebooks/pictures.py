"""``python -m tests.notebooks.pictures``: draw the pictures that the notebooks show as files.

A map shows where memory is kept, and how it gets into and out of a request. There is one per
notebook, in which the boxes of that notebook are highlighted, by a frame and a mark as well as by
colour.

What a picture says of memlab comes from memlab where that is possible: its gates and their limits,
and its caps. Pictures of measurements are not here; the notebook that
measures draws them, with ``bars`` and ``rising_lines``.
"""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memlab.course.pictures import SMALL, WIDTH, Fill, Picture
from memlab.settings import Settings
from tests.notebooks.page import read_page

LIMITS = Settings()

BOX_WIDTH, BOX_HEIGHT = 178, 68


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
    """An arrow along some points, perhaps with words beside it."""

    points: tuple[tuple[int, int], ...]
    words: str = ""
    at: tuple[int, int] | None = None


BOXES = (
    Box("files", "memory files", "one fact per file", 1, 24, 186),
    Box("index", "index", "one line per file", 2, 238, 74),
    Box("scan", "scan", "newest headers", 3, 238, 186),
    Box("prompt", "system prompt", "holds the index", 2, 452, 74),
    Box("recall", "recall", "at most five", 4, 452, 186),
    Box("loop", "agent loop", "ask, act, answer", 5, 666, 130),
    Box("fork", "fork", "the same prefix", 6, 666, 270),
    Box("sandbox", "sandbox", "a fork's limits", 7, 666, 374),
    Box("extract", "extraction", "after each turn", 8, 452, 270),
    Box("gates", "gates", "is a dream due?", 9, 452, 374),
    Box("lock", "lock", "one at a time", 10, 238, 374),
    Box("dream", "dream", "tidies memory", 11, 24, 374),
)
VARIED = {
    13: ("recall", "extract", "dream"),
    14: ("prompt", "loop", "dream"),
    15: ("files", "index", "recall"),
    16: ("files", "index", "recall"),
    17: ("files", "scan", "recall"),
}
"""The boxes that a notebook without a box of its own measures or varies."""

ARROWS = (
    Arrow(((755, 52), (755, 128))),
    Arrow(((113, 186), (113, 108), (236, 108)), "pointers", (122, 100)),
    Arrow(((416, 108), (450, 108))),
    Arrow(((202, 220), (236, 220))),
    Arrow(((416, 220), (450, 220))),
    Arrow(((630, 108), (648, 108), (648, 152), (664, 152))),
    Arrow(((630, 220), (648, 220), (648, 176), (664, 176))),
    Arrow(((755, 198), (755, 268)), "turn ends", (764, 240)),
    Arrow(((755, 374), (755, 340)), "limits", (764, 361)),
    Arrow(((666, 304), (632, 304))),
    Arrow(((452, 304), (140, 304), (140, 256)), "new memories", (250, 296)),
    Arrow(
        ((844, 164), (862, 164), (862, 462), (541, 462), (541, 444)),
        "turn ends",
        (764, 457),
    ),
    Arrow(((452, 408), (418, 408))),
    Arrow(((238, 408), (204, 408))),
    Arrow(((66, 374), (66, 256)), "merged, corrected", (74, 350)),
)


def system_map(notebook: int) -> Picture:
    """Draw the map of the memory system, with the boxes of a notebook highlighted.

    If a notebook has no box, all of them are.
    """
    picture = Picture("How a coding agent remembers", map_alt(notebook), height=480)
    _draw_map(picture, highlighted_boxes(notebook))
    return picture


def _draw_map(picture: Picture, highlighted: tuple[Box, ...]) -> None:
    picture.mark(648, 40, "▶", fill="marked")
    picture.text(668, 45, "start: a person writes", bold=True)
    for arrow in ARROWS:
        picture.arrow(*arrow.points, words=arrow.words, at=arrow.at)
    for box in BOXES:
        lit = box in highlighted
        picture.box(
            box.x,
            box.y,
            BOX_WIDTH,
            BOX_HEIGHT,
            f"{'▸ ' if lit else ''}{box.title}",
            below=f"{box.notebook:02d} · {box.below}",
            fill="marked" if lit else "plain",
            strong=lit,
        )


def map_alt(notebook: int) -> str:
    """Say in words what the map shows; the alternative text for the picture."""
    highlighted = ", ".join(box.title for box in highlighted_boxes(notebook))
    here = (
        f"Highlighted: {highlighted}."
        if len(highlighted_boxes(notebook)) < len(BOXES)
        else "All boxes are highlighted."
    )
    return (
        "A person writes to the agent. Memory files feed the index, which is in the system"
        " prompt, and the scan, which feeds recall; both reach the agent loop. When a"
        " turn ends, a fork within the limits of a sandbox runs extraction,"
        " which writes new memory files; and gates and a lock decide whether"
        f" a dream is due, which merges and corrects them. {here}"
    )


def highlighted_boxes(notebook: int) -> tuple[Box, ...]:
    """Give the boxes that a notebook teaches, measures or varies; all of them for a
    notebook about the whole system.
    """
    varied = VARIED.get(notebook, ())
    return tuple(box for box in BOXES if box.notebook == notebook or box.key in varied) or BOXES


def on_one_page(notebooks: Path) -> Picture:
    """The course on one sheet of A4, to print: the map, the notebooks, and what to type."""
    picture = Picture(
        "How a coding agent remembers: the course on one page",
        f"{map_alt(0)} Below the map are a list of the notebooks, what to type in a notebook and"
        " in a terminal, what the labels of answers mean, and what to take home.",
        height=1245,
    )
    _draw_map(picture, ())
    left, right = 24, 456
    _column(
        picture,
        left,
        "The notebooks, and the question of each",
        [f"{path.name[:2]}  {question}" for path, question in _questions(notebooks)],
    )
    picture.text(left, 1110, "Your notes", size=15, bold=True)
    picture.line((left, 1117), (right + 400, 1117))
    y = _column(
        picture,
        right,
        "In a notebook",
        [
            "Shift+Enter              run a cell",
            "check(name)              is my function right?",
            'hint("name")             the next hint',
            'solution("name")         our answer',
            "my.counts()              how often is mine called?",
        ],
        code=True,
    )
    y = _column(
        picture,
        right,
        "In a terminal (Windows: py for python3)",
        [
            "python3 -m memlab lab        begin or go on",
            "python3 -m memlab start 07   jump to notebook 07",
            "python3 -m memlab reset 03   03 afresh; keeps mine",
            "python3 -m memlab progress   what has passed?",
            "python3 -m memlab doctor DIR look at a memory",
        ],
        code=True,
        y=y,
    )
    y = _column(
        picture,
        right,
        "Who answers?",
        [
            "script: written by hand for this message",
            "fallback rules: a few simple rules",
            "plain reply: neither of the two fits",
            "recorded: a real model, at an earlier time",
            "live: a real model, now (needs a key)",
        ],
        y=y,
    )
    _column(
        picture,
        right,
        "To take home",
        [
            "A model knows only what is in the request.",
            "A memory is a file that a person can read.",
            "Store what can't be looked up, with its reason.",
            "Recall little: at most five files.",
            "A wrong memory is worse than a missing one.",
            "The model proposes; code decides what may be lost.",
        ],
        y=y,
    )
    return picture


def _questions(notebooks: Path) -> Iterator[tuple[Path, str]]:
    """Give each notebook with its core question, from the table in the README."""
    page = (notebooks / "README.md").read_text(encoding="utf-8")
    for path in sorted(notebooks.glob("[0-9][0-9]_*.ipynb")):
        row = next(line for line in page.splitlines() if f"]({path.name})" in line)
        yield path, row.split("|")[2].strip()


def _column(
    picture: Picture,
    x: int,
    title: str,
    lines: Sequence[str],
    *,
    code: bool = False,
    y: float = 506,
) -> float:
    """Write lines below a title; gives the place for the next title."""
    picture.text(x, y, title, size=15, bold=True)
    picture.line((x, y + 7), (x + 400, y + 7))
    y += 27
    for line in lines:
        if code:
            picture.code(x, y, line, width=7.6 * len(line))
            y += 20
        else:
            first, *more = textwrap.wrap(line, 56, subsequent_indent="      ")
            for number, part in enumerate([first, *more]):
                picture.text(x + (22 if number else 0), y, part.strip(), size=14)
                y += 19
            y += 2
    return y + 14


def crash_points() -> Picture:
    """Three ways of writing a memory, and what a crash leaves at each point."""
    picture = Picture(
        "Where the power can fail, and what is on the disk afterwards",
        "Three ways to change a memory, as timelines with a cross after each step. Written in"
        " place, a crash leaves an empty file after opening, half a file while writing, and after"
        " closing it is not certain what is there, because nothing was forced to the disk. Written"
        " beside and renamed, a crash at any point leaves the old file or the new file, whole."
        " Several files with a journal: before the line is in the journal, a crash leaves the old"
        " files; afterwards, it leaves the new files, because the next program that opens the store"
        " finishes the change.",
        height=536,
    )
    lanes = (
        (
            "In place: naive_save",
            ("open, which empties it", "write the first half", "write the rest", "close"),
            ("empty", "half", "half", "not certain"),
            ("red", "red", "red", "red"),
        ),
        (
            "Beside, then renamed: safe_save",
            (
                "write a temporary file",
                "fsync the file",
                "replace the old file",
                "fsync the folder",
            ),
            ("old", "old", "old or new", "new"),
            ("green", "green", "green", "green"),
        ),
        (
            "Several files, with a journal: memlab's store",
            (
                "copies and temporary files",
                "append a line to the journal",
                "replace the memory",
                "replace the index",
            ),
            ("all old", "all new", "all new", "all new"),
            ("green", "green", "green", "green"),
        ),
    )
    for lane, (title, steps, left, fills) in enumerate(lanes):
        y = 66 + 158 * lane
        picture.text(24, y, title, bold=True)
        step = (WIDTH - 84) / len(steps)
        for number, (words, file, fill) in enumerate(zip(steps, left, fills, strict=True)):
            x = 24 + step * number
            picture.box(x, y + 14, step - 44, 52, words)
            kill = x + step - 22
            if number < len(steps) - 1:
                picture.arrow((x + step - 44, y + 40), (x + step, y + 40))
            picture.mark(kill, y + 40, "✕", fill=fill)  # type: ignore[arg-type]
            picture.arrow((kill, y + 53), (kill, y + 82))
            picture.box(kill - 52, y + 84, 104, 30, file, fill=fill, size=13)  # type: ignore[arg-type]
    picture.text(
        24,
        522,
        "✕ if the power fails here, the box below says what is there afterwards"
        " (in the third row, after the store has been opened again)",
        size=13,
        faint=True,
    )
    return picture


def request_bar() -> Picture:
    """What a request consists of, in the order in which the cache reads it."""
    picture = Picture(
        "One request, from its beginning to its end",
        "A request as a bar of three parts in order: tools, then the system prompt, which contains"
        " the memory section and the index, then the messages. Everything before the last answer"
        " is hatched: it is the prefix that the service can keep. Only the last answer and the new"
        " message are read for the first time.",
        height=226,
    )
    parts: tuple[tuple[str, str, int, Fill], ...] = (
        ("tools", "never change", 130, "hatched"),
        ("agent prompt", "and CLAUDE.md", 142, "hatched"),
        ("memory section", "what memory is for", 160, "hatched"),
        ("MEMORY.md", "the index", 130, "hatched"),
        ("earlier messages", "and attached memories", 150, "hatched"),
        ("last answer", "and new message", 120, "marked"),
    )
    x = 24.0
    for words, below, width, fill in parts:
        picture.box(x, 62, width, 68, words, below=below, fill=fill)
        x += width
    picture.line((154, 146), (154, 152), (586, 152), (586, 146))
    picture.text(370, 171, "the system prompt", size=13, anchor="middle", faint=True)
    picture.line((24, 186), (24, 192), (736, 192), (736, 186))
    picture.text(
        380,
        212,
        "hatched: the prefix, which is read from the cache while nothing in it changes",
        size=13,
        anchor="middle",
        faint=True,
    )
    return picture


def index_caps() -> Picture:
    """An index that is cut by its lines, and one that is cut by its bytes."""
    lines, size = LIMITS.index_max_lines, LIMITS.index_max_bytes
    picture = Picture(
        "Two limits: the index is cut at the one that is reached first",
        f"Two indexes as stacks of lines. The one with many short lines is cut after {lines} lines,"
        f" and the one with few long lines after {size:,} bytes, at the end of a line. The newest"
        " pointers are on top, so the oldest ones are not shown.",
        height=368,
    )
    for column, (title, shown, hidden, height, length, cap) in enumerate(
        (
            ("many short lines", 14, 4, 11, 190, f"{lines} lines"),
            ("few long lines", 7, 2, 22, 290, f"{size:,} bytes"),
        )
    ):
        x, y = 24 + 400 * column, 84.0
        picture.text(x, 70, title, bold=True)
        for number in range(shown + hidden):
            fill: Fill = "blue" if number < shown else "grey"
            picture.box(x, y, length, height - 2, fill=fill, dashed=number >= shown)
            y += height
            if number == shown - 1:
                cut = y + 8
                picture.line((x - 8, cut), (x + length + 20, cut), dashed=True)
                picture.text(x + length + 26, cut + 5, cap)
                y += 18
        picture.text(x, y + 22, "not shown: the oldest", size=13, faint=True)
    picture.text(24, 354, "The newest memory is at the top.", size=13, faint=True)
    return picture


def funnel() -> Picture:
    """How thousands of files become five attachments."""
    files, chosen = LIMITS.scan_max_files, LIMITS.select_max_memories
    lines = LIMITS.scan_header_lines
    picture = Picture(
        "From 2,000 files to five",
        f"A funnel in four steps. 2,000 files get one stat each, and {2_000 - files:,} of them are"
        f" not opened. The newest {files} are opened for their first {lines} lines. They become"
        f" the {files} lines of the manifest. From these a model chooses at most {chosen} files,"
        f" which are read and attached; {files - chosen} are not.",
        height=280,
    )
    steps: tuple[tuple[str, str, int, Fill, str], ...] = (
        ("2,000 files", "one stat each", 170, "plain", f"{2_000 - files:,} are not opened"),
        (f"{files} heads", f"opened: {lines} lines each", 132, "plain", ""),
        (f"{files} lines", "the manifest", 94, "blue", f"{files - chosen} are not attached"),
        (f"{chosen} files", "read and attached", 62, "marked", ""),
    )
    words = (("keep the", "newest"), ("one line", "each"), ("a model", "chooses"))
    for number, (title, below, height, fill, rest) in enumerate(steps):
        x = 24 + 220 * number
        picture.box(x, 146 - height / 2, 150, height, title, below=below, fill=fill)
        picture.text(x + 75, 256, rest, size=13, anchor="middle", faint=True)
        if number < len(words):
            picture.arrow((x + 150, 146), (x + 220, 146))
            for line, part in enumerate(words[number]):
                y = 136 if line == 0 else 164
                picture.text(x + 184, y, part, size=13, anchor="middle", faint=True)
    return picture


def two_stages() -> Picture:
    """How 100,000 files become five attachments: words propose, a model chooses."""
    candidates = LIMITS.first_stage_candidates
    chosen = LIMITS.select_max_memories
    picture = Picture(
        "Two stages: words propose, a model chooses",
        f"A funnel with two stages. 100,000 files are in the index. The first stage searches the"
        f" index for words and proposes {candidates} candidates. Their headers are read from the"
        f" files and become the {candidates} lines of the manifest. The second stage is the"
        f" side-query: a model chooses at most {chosen} of them, which are read and attached.",
        height=300,
        width=700,
    )
    steps: tuple[tuple[str, str, int, Fill], ...] = (
        ("100,000 files", "all in the index", 190, "plain"),
        (f"{candidates} candidates", "compared with the files", 132, "green"),
        (f"{candidates} lines", "the manifest", 94, "blue"),
        (f"up to {chosen} files", "read and attached", 66, "marked"),
    )
    words = (
        ("first stage", "words", "no model"),
        ("headers", "from the files", ""),
        ("second stage", "a model chooses", ""),
    )
    for number, (title, below, height, fill) in enumerate(steps):
        x = 20 + 177 * number
        picture.box(x, 150 - height / 2, 129, height, title, below=below, fill=fill)
        if number < len(words):
            picture.arrow((x + 129, 150), (x + 177, 150))
    for number, (title, *rest) in enumerate(words):
        x = 20 + 177 * number + 153
        bold = "stage" in title
        picture.text(x, 262, title, size=13, anchor="middle", bold=bold)
        picture.text(x, 282, ", ".join(filter(None, rest)), size=13, anchor="middle", faint=True)
    return picture


def recall_timeline() -> Picture:
    """Recall beside the turn, and the three places where its memories can join."""
    picture = Picture(
        "Three places where memories can join a turn",
        "A timeline of one turn with three recalls. The quick recall is ready within one second,"
        " and its memories go into the first request, right after the question. The slow recall is"
        " ready during the first request, and its memories go into the second request, after the"
        " tool results. The late recall is ready after the turn, and its memories go into the next"
        " message, before its text.",
        height=332,
    )
    axis = picture.time_axis(150, 286, 660, start=0, end=10, every=1)
    turn: tuple[tuple[float, float, str, Fill], ...] = (
        (1, 3.2, "request 1", "blue"),
        (3.2, 4.1, "tools", "plain"),
        (4.1, 6.6, "request 2", "blue"),
        (8.4, 10, "next message", "blue"),
    )
    picture.text(24, 93, "the turn", bold=True)
    for start, end, words, fill in turn:
        x = axis.at(start)
        picture.box(x, 70, axis.at(end) - x, 36, words, fill=fill, size=13)
    recalls = (
        ("quick recall", 0.8, 1.0, "in time"),
        ("slow recall", 2.4, 4.1, "after tools"),
        ("late recall", 7.6, 8.4, "late"),
    )
    for number, (name, ready, joins, word) in enumerate(recalls):
        y = 136 + 46 * number
        picture.text(24, y + 20, name)
        picture.box(axis.at(0), y, axis.at(ready) - axis.at(0), 28, fill="marked")
        picture.arrow(
            (axis.at(ready), y + 14),
            (axis.at(joins), y + 14),
            (axis.at(joins), 108),
        )
        picture.text(axis.at(joins) + 8, y + 19, word, size=13)
    return picture


def attached_where() -> Picture:
    """A second turn, with its memory in the user turn and in the system prompt."""
    picture = Picture(
        "Where to attach a memory: what the second turn pays for",
        "Two requests as bars. With the memory in the user turn, the system prompt and the earlier"
        " messages are read from the cache, and the memory and the new message are paid for in"
        " full. With the memory at the end of the system prompt, everything from the system"
        " prompt on is paid for again.",
        height=212,
    )
    prompt, earlier = ("system prompt", 190), ("earlier messages", 210)
    memory, message = ("memory", 100), ("message", 100)
    rows = (
        ("in the user turn", (prompt, earlier, memory, message), 2),
        ("in the system prompt", (prompt, memory, earlier, message), 0),
    )
    for number, (name, parts, cached) in enumerate(rows):
        x, y = 210, 62 + 56 * number
        picture.text(24, y + 25, name)
        for part, (words, width) in enumerate(parts):
            kept = part < cached
            sign = "✓" if kept else "✕"
            fill: Fill = "hatched" if kept else "red"
            picture.box(x, y, width, 40, f"{sign} {words}", fill=fill, strong=words == "memory")
            x += width
    legend = "✓ read from the cache, at a tenth of the price  ·  ✕ not read from the cache"
    picture.text(24, 194, legend, size=13)
    return picture


def coalescing() -> Picture:
    """Three turns, two runs, the stash between them, and the cursor."""
    picture = Picture(
        "Three turns become two runs",
        "A timeline with three turns and two runs. Turns 2 and 3 end during run 1; the conversation"
        " of turn 3 replaces that of turn 2 in the stash. Run 2 starts when run 1 ends and"
        " processes the messages of both. The cursor moves to message 2 when run 1 ends, and to"
        " message 6 when run 2 ends.",
        height=374,
    )
    axis = picture.time_axis(150, 326, 660, start=0, end=11, every=1)
    picture.text(24, 88, "turns")
    turns = ((0, 1, "turn 1"), (1, 2, "turn 2"), (2, 4, "turn 3"))
    for start, end, name in turns:
        x = axis.at(start)
        picture.box(x + 1, 66, axis.at(end) - x - 2, 34, name, fill="blue", size=13)
    picture.text(24, 148, "stash")
    picture.box(
        axis.at(2), 126, axis.at(4) - axis.at(2) - 2, 34, "messages 1–4", dashed=True, size=13
    )
    picture.box(axis.at(4), 126, axis.at(5) - axis.at(4) - 2, 34, "1–6", dashed=True, size=13)
    picture.text(24, 208, "runs")
    picture.box(
        axis.at(1), 186, axis.at(5) - axis.at(1) - 2, 34, "run 1: messages 1–2", fill="marked"
    )
    picture.box(
        axis.at(5), 186, axis.at(9) - axis.at(5) - 2, 34, "run 2: messages 3–6", fill="marked"
    )
    picture.text(24, 268, "cursor at")
    cursors = ((0, 5, "None"), (5, 9, "message 2"), (9, 11, "message 6"))
    for start, end, name in cursors:
        x = axis.at(start)
        picture.box(x + 1, 246, axis.at(end) - x - 2, 34, name, size=13)
    picture.arrow((axis.at(1), 100), (axis.at(1), 184))
    picture.arrow((axis.at(2), 100), (axis.at(2), 124))
    picture.arrow((axis.at(4), 100), (axis.at(4), 124))
    picture.arrow((axis.at(5), 160), (axis.at(5), 184))
    picture.arrow((axis.at(5), 220), (axis.at(5), 244))
    picture.arrow((axis.at(9), 220), (axis.at(9), 244))
    return picture


def lock_life() -> Picture:
    """The life of the lock file: what its body says, and what its time means."""
    picture = Picture(
        "The life of the lock file",
        "The states of the lock file. No file: no dream so far. Held: the mtime is when the lock"
        " was taken. If the dream succeeds, the file is done, and the mtime stays. If it fails,"
        " text and mtime are put back: to done, or to no file. If its process dies, the next"
        " session puts back the mtime and appends done.",
        height=330,
    )
    picture.box(24, 78, 170, 74, "no file", below="no dream so far")
    picture.box(
        344, 78, 192, 74, "held", below="mtime: when it was taken", fill="marked", strong=True
    )
    picture.box(686, 78, 170, 74, "done", below="the mtime stays", fill="green")
    picture.box(344, 226, 192, 74, "put back", below="text and mtime as before", fill="blue")
    picture.arrow((194, 115), (342, 115), words="take")
    picture.arrow((536, 100), (684, 100), words="the dream succeeds")
    picture.arrow((684, 132), (538, 132), words="the next dream", at=(560, 152))
    picture.arrow((420, 152), (420, 224), words="it fails", at=(362, 194))
    picture.arrow((500, 152), (500, 190), (731, 190), (731, 154))
    picture.text(508, 182, "its process dies; then heal", size=13, faint=True)
    picture.arrow((344, 262), (109, 262), (109, 154), words="there was none", at=(116, 252))
    picture.arrow((536, 262), (771, 262), (771, 154), words="there was one", at=(656, 252))
    return picture


def lock_race() -> Picture:
    """Six moves after which two processes hold the naive lock."""
    picture = Picture(
        "Six moves, and both think they hold the lock",
        "Two processes as lanes over six moves. 41 reads: no file. 42 reads: no file. 41 writes"
        " 41. 41 reads 41 and has the lock. 42 writes 42. 42 reads 42 and has the lock, too.",
        height=262,
    )
    moves = (
        (0, "reads: no file"),
        (1, "reads: no file"),
        (0, "writes 41"),
        (0, "reads 41: mine"),
        (1, "writes 42"),
        (1, "reads 42: mine"),
    )
    for lane in (0, 1):
        y = 96 + 84 * lane
        picture.text(24, y + 5, str(41 + lane), bold=True)
        picture.line((60, y), (WIDTH - 24, y))
    for number, (lane, words) in enumerate(moves):
        x, y = 64 + 134 * number, 74 + 84 * lane
        last = words.endswith("mine")
        picture.box(x, y, 124, 44, words, fill="red" if last else "plain", strong=last, size=13)
        picture.text(x + 62, 250, str(number + 1), size=13, anchor="middle", faint=True)
    picture.text(24, 250, "move", size=13, faint=True)
    return picture


def two_clones() -> Picture:
    """Two people, what is private to each, and the repository between their clones."""
    picture = Picture(
        "What is shared, and what stays at home",
        "Robin and Mika each have a memory directory. In it are private memories, the journal of"
        " all changes, and the folder team. The folder team is a clone of the shared repository,"
        " which is between the two. Only what is in the clones is pushed and pulled; private"
        " memories and journals never leave their computer.",
        height=350,
        width=700,
    )
    for x, name in ((24, "Robin's computer"), (446, "Mika's computer")):
        picture.text(x, 74, name, bold=True)
        picture.box(x, 88, 230, 238, dashed=True)
        picture.text(x + 14, 114, "memory directory", faint=True)
        picture.box(x + 14, 126, 202, 56, "private memories", below="with their MEMORY.md")
        picture.box(x + 14, 192, 202, 44, "journal, lock", fill="grey")
        picture.box(x + 14, 246, 202, 64, "team/", below="memories, MEMORY.md", fill="green")
    picture.box(302, 246, 96, 64, "repository", below="on a server", fill="green", strong=True)
    picture.arrow((240, 262), (300, 262), words="push", at=(263, 254))
    picture.arrow((302, 294), (242, 294), words="pull", at=(265, 312))
    picture.arrow((460, 262), (400, 262), words="push", at=(409, 254))
    picture.arrow((398, 294), (458, 294), words="pull", at=(411, 312))
    picture.text(350, 218, "only what is in team/", size=13, anchor="middle", faint=True)
    picture.text(350, 236, "is pushed and pulled", size=13, anchor="middle", faint=True)
    return picture


def three_places() -> Picture:
    """The three directories a request may draw on, who writes each, and which wins."""
    picture = Picture(
        "Three directories, one request",
        "A request in tidebook draws on three directories. The private memory of the project is"
        " written by the agent, the extraction and dreams. The team's memory is written by"
        " everybody's agents; a dream only proposes changes to it. Personal memory holds in every"
        " project, and only the person writes it, by promoting. Where the project and the personal"
        " memory have a memory of the same name, the project wins.",
        height=336,
        width=660,
    )
    places = (
        ("private memory", "of this project", "the agent, extraction, dreams", "plain"),
        ("team/", "everybody in this project", "all agents; dreams propose", "green"),
        ("personal/", "one person, every project", "only the person: promote", "blue"),
    )
    picture.text(24, 72, "directory", faint=True)
    picture.text(252, 72, "written by", faint=True)
    for number, (name, whose, writer, fill) in enumerate(places):
        y = 86 + 74 * number
        picture.box(24, y, 214, 58, name, below=whose, fill=cast("Fill", fill))
        picture.text(252, y + 34, writer)
        picture.arrow((466, y + 29), (498, y + 29))
    picture.box(500, 86, 136, 206, "request", below="indexes and recalled memories", fill="marked")
    last = "A personal memory is left out where the project has one of the same name."
    picture.text(24, 318, last, size=13, faint=True)
    return picture


def told_and_asked(notebooks: Path) -> Picture:
    """The first two cells of notebook 00, with what they print, and what the model was sent.

    The words and the tokens come from the stored outputs.
    """
    cells = {cell.id: cell for cell in read_page(notebooks / "00_start_here.ipynb").cells}
    first, second = (dict(cells[name].texts()) for name in ("cell-02", "cell-04"))
    said = (first["stdout"] + second["stdout"]).splitlines()
    # what is drawn; below it, the cell shows the same in words
    sent = next(text for kind, text in cells["cell-08"].texts() if kind == "text/plain")
    picture = Picture(
        "The same agent on three days",
        "Three conversations with the same agent. On Monday you say that you like your code with"
        " tabs and single quotes, and the agent can repeat it. On Tuesday, in a new session, you"
        " ask how you like your code, and the agent doesn't know: the request contains only"
        " instructions and your question. On Wednesday the request also contains a file,"
        " note.md, with your sentence, and the agent knows.",
        height=368,
    )
    column = WIDTH - 204
    picture.text(column, 34, "sent, in tokens", bold=True)
    fills: dict[str, Fill] = {"system": "grey", "memory": "marked", "user": "blue"}
    names = {"system": "instructions", "memory": "note.md", "user": "you", "assistant": "agent"}
    y = 46.0
    after = 0.0
    for day in ("Monday", "Tuesday", "Wednesday"):
        picture.line((24, y), (WIDTH - 24, y))
        picture.text(24, y + 24, day, bold=True)
        down = y + 24
        for words in _messages(said, day):
            with picture.appears(after):
                for line in textwrap.wrap(words, 74):
                    picture.text(122, down, line)
                    down += 20
            after += 1
        with picture.appears(after):
            blocks = _part(sent.splitlines(), f"{day}, the last request:")[1:]
            for number, block in enumerate(blocks):
                role, tokens = block.split()[:2]
                words = f"{names[role]}: {tokens}"
                top = y + 10 + 24 * number
                picture.box(column, top, 180, 22, words, fill=fills.get(role, "plain"))
        after += 1
        y = max(down, y + 24 + 24 * len(blocks))
    return picture


def _part(lines: list[str], start: str) -> list[str]:
    """Give the line that begins with some words, and the indented lines below it."""
    begin = next(number for number, line in enumerate(lines) if line.startswith(start))
    rest = itertools.takewhile(lambda line: line.startswith(" "), lines[begin + 1 :])
    return [lines[begin], *rest]


def _messages(lines: list[str], day: str) -> list[str]:
    """Give what was said on a day, one text for each message."""
    messages: list[str] = []
    for line in _part(lines, day):
        words = line[len("Wednesday  ") :]
        if words.startswith(("you:", "agent:", "(")) or not messages:
            messages.append(words)
        else:
            messages[-1] += f" {words.strip()}"
    return messages


def notes_and_tail() -> Picture:
    """What is left of a long conversation after three kinds of compaction."""
    least, most = LIMITS.session_keep_min_tokens, LIMITS.session_keep_max_tokens
    picture = Picture(
        "What a compaction leaves of a conversation",
        "Three rows. At the top, a long conversation: old messages, recent messages, and Robin's"
        " new message. In the second row, a summary replaces the old and the recent messages; only"
        " the new message stays as it was. In the third row, the notes replace the old messages."
        f" The recent messages stay as they were, as the tail: {least:,} to {most:,} tokens.",
        height=322,
    )
    rows: tuple[tuple[str, str, tuple[tuple[str, str, int, Fill], ...]], ...] = (
        (
            "before",
            "",
            (
                ("old messages", "", 330, "plain"),
                ("recent messages", "", 190, "blue"),
                ("new", "", 60, "green"),
            ),
        ),
        (
            "with a summary",
            "written now",
            (("summary", "", 110, "marked"), ("new", "", 60, "green")),
        ),
        (
            "with notes",
            "written turn by turn",
            (
                ("notes", "", 110, "marked"),
                ("tail: recent messages", "", 190, "blue"),
                ("new", "", 60, "green"),
            ),
        ),
    )
    for number, (name, when, parts) in enumerate(rows):
        x, y = 230.0, 66 + 78 * number
        picture.text(24, y + 22, name, bold=True)
        picture.text(24, y + 42, when, size=13, faint=True)
        for words, below, width, fill in parts:
            picture.box(x, y, width, 54, words, below=below, fill=fill)
            x += width
    picture.text(
        24,
        308,
        f"tail: at least {least:,} tokens and {LIMITS.session_keep_min_texts} texts, at most"
        f" {most:,} tokens, and never a result without its call",
        size=13,
        faint=True,
    )
    return picture


def day_and_night() -> Picture:
    """How a remark gets into the log by day, and out of it by night."""
    picture = Picture(
        "By day, lines are added; at night, a dream sorts them out",
        "Two rows. By day, a session in the morning adds lines to the log of the day, and the"
        " end of that log is shown to a session in the afternoon, which adds lines as well. At"
        " night, a dream reads the log, changes the memory files and their index, and leaves the"
        " log as it is.",
        height=330,
    )
    picture.text(24, 82, "by day", bold=True)
    picture.box(150, 64, 150, 62, "morning session", fill="blue")
    picture.box(380, 64, 200, 62, "log of the day", below="2026-03-30.md", fill="marked")
    picture.box(660, 64, 170, 62, "afternoon session", fill="blue")
    picture.arrow((300, 84), (378, 84), words="adds lines", at=(304, 76))
    picture.arrow((580, 84), (658, 84), words="its end", at=(592, 76))
    picture.arrow((658, 112), (582, 112), words="adds lines", at=(588, 140))
    picture.text(24, 236, "at night", bold=True)
    picture.box(380, 212, 200, 62, "dream", below="reads the logs first", fill="green")
    picture.box(660, 212, 170, 62, "memory files", below="and their index")
    picture.arrow((480, 126), (480, 210), words="reads", at=(490, 172))
    picture.arrow((580, 243), (658, 243), words="changes", at=(590, 235))
    picture.text(
        24,
        314,
        "The dream leaves the log as it is. Only a person can remove a line.",
        size=13,
        faint=True,
    )
    return picture


def where_a_fact_goes() -> Picture:
    """Where each way to remember keeps a fact, and what reaches the request."""
    picture = Picture(
        "Where a fact goes, and what reaches the request",
        "Six rows, one for each way to remember. Files: a fact goes to a Markdown file, one for"
        " each topic, and the index and up to five files reach the request. Mem0: a fact changes a"
        " list of sentences, and the nearest ten reach the request. Mem0g and Cognee: a fact"
        " becomes links between entities, and what a walk reaches gets into the request. Letta: a"
        " fact goes to core memory, which is in every request, and from there to an archive that"
        " has to be searched. Hindsight: a fact goes to one of four networks, and four searches,"
        " fused and re-ranked, fill the request. Full context: every turn goes into every"
        " request.",
        height=486,
        width=660,
    )
    rows: tuple[tuple[str, str, str, str, str, Fill], ...] = (
        (
            "Files",
            "a Markdown file",
            "one for each topic",
            "index, up to five files",
            "a person can edit them",
            "green",
        ),
        (
            "Mem0",
            "a list of sentences",
            "add, update, delete",
            "the nearest ten",
            "by similarity",
            "blue",
        ),
        (
            "Mem0g, Cognee",
            "a graph of entities",
            "linked by their facts",
            "what a walk reaches",
            "beside the nearest",
            "blue",
        ),
        (
            "Letta",
            "core memory",
            "paged out to an archive",
            "all of core memory",
            "and what a search finds",
            "marked",
        ),
        (
            "Hindsight",
            "four networks",
            "facts apart from opinions",
            "the best ten of 30",
            "four searches, fused",
            "blue",
        ),
        (
            "Full context",
            "the conversation",
            "nothing is chosen",
            "every turn",
            "in order",
            "plain",
        ),
    )
    picture.text(160, 60, "a fact is kept in …", faint=True)
    picture.text(416, 60, "the request gets …", faint=True)
    for number, (name, kept, how, shown, chosen, fill) in enumerate(rows):
        y = 74 + 68 * number
        picture.text(24, y + 31, name, bold=True)
        picture.box(160, y, 210, 54, kept, below=how, fill=fill)
        picture.arrow((370, y + 27), (414, y + 27))
        picture.box(416, y, 220, 54, shown, below=chosen)
    return picture


def shelves() -> Picture:
    """The memories of the example before and after the dream of notebook 11."""
    gone = ("keep-replies-short", "running-the-tests", "tide-times-from-saltmarsh")
    changed = (
        "answer-first",
        "order-of-the-board",
        "price-list-printing",
        "round-departures-down",
        "tide-times-from-gullwing",
        "MEMORY.md",
    )
    memory = Path(__file__).parents[2] / "data" / "example" / "memory"
    names = [path.stem for path in sorted(memory.glob("*-*.md"))]
    names.append("MEMORY.md")
    picture = Picture(
        "Before and after the dream",
        f"Two shelves of books. Before the dream, {len(names)} books. Afterwards, these are gone:"
        f" {', '.join(gone)}. These are changed: {', '.join(changed)}. The others are the same.",
        height=570,
    )
    for top, title in ((52, "before"), (312, "after")):
        picture.text(24, top + 14, title, bold=True)
        for place, name in enumerate(names):
            row, column = divmod(place, 7)
            fill: Fill = "plain"
            note = ""
            is_gone = name in gone and title == "after"
            if is_gone:
                fill, note = "grey", "gone"
            elif name in changed and title == "after":
                fill, note = "green", "changed"
            picture.box(
                24 + 116 * column,
                top + 24 + 72 * row,
                110,
                66,
                "" if is_gone else name.replace("-", " "),
                below=note,
                fill=fill,
                dashed=is_gone,
                size=SMALL,
            )
    return picture


PICTURES: Mapping[str, Callable[[], Picture]] = {
    "shelves": shelves,
    "crash_points": crash_points,
    "request_bar": request_bar,
    "index_caps": index_caps,
    "funnel": funnel,
    "two_stages": two_stages,
    "recall_timeline": recall_timeline,
    "attached_where": attached_where,
    "coalescing": coalescing,
    "lock_life": lock_life,
    "lock_race": lock_race,
    "notes_and_tail": notes_and_tail,
    "day_and_night": day_and_night,
    "two_clones": two_clones,
    "three_places": three_places,
    "where_a_fact_goes": where_a_fact_goes,
}


def drawings(notebooks: Path) -> dict[str, Picture]:
    """Give the picture of each file: every picture, and a map for each notebook in a folder."""
    found = {name: draw() for name, draw in PICTURES.items()}
    for notebook in sorted(notebooks.glob("[0-9][0-9]_*.ipynb")):
        number = notebook.name[:2]
        found[f"map_{number}"] = system_map(int(number))
    if (notebooks / "00_start_here.ipynb").exists():
        found["told_and_asked"] = told_and_asked(notebooks)
        found["on_one_page"] = on_one_page(notebooks)
    return {f"{name}.svg": picture for name, picture in found.items()}


def write_pictures(notebooks: Path) -> list[Path]:
    """Write ``images/*.svg`` for the notebooks in a folder; gives the files' paths."""
    folder = notebooks / "images"
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, picture in drawings(notebooks).items():
        (folder / name).write_bytes(picture.svg().encode("utf-8"))
        written.append(folder / name)
    return written


if __name__ == "__main__":
    write_pictures(Path(__file__).parents[2] / "notebooks")
