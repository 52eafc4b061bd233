"""What a harness shows, as lines of text: its memory, recall, cost and state.

The chat in the terminal and the one in a notebook both print these lines.
``plain`` takes control characters out of what comes from a memory or a model,
so that it cannot write over the screen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime

from memlab.harness import Harness
from memlab.ledger import Ledger
from memlab.memdir.dates import age_in_words
from memlab.memdir.scan import MemoryHeader, one_line, scan_memory_files
from memlab.models.meter import price_table
from memlab.modes.mode import NAMES
from memlab.text import shorten

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
SHOWN = 5
"""How many memories of a recall are listed; the others are folded."""
_MODES = {
    "full": "memory on",
    "recall_only": "memory read only",
    "off": "memory off",
}


def plain(text: str) -> str:
    """Give a text without what could steer a terminal; lines and tabs stay."""
    return _CONTROL.sub("", text)


def columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Set rows in columns."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip()
        for r in cells
    ]


def memory_lines(harness: Harness, new: Collection[str] = ()) -> list[str]:
    """List the memories, newest first, after a line that says where they are;
    ``new`` ones are marked.
    """
    scan = scan_memory_files(harness.memory, harness.runtime.settings)
    where, now = (
        harness.context.show(harness.memory),
        harness.runtime.clock.now(),
    )
    lines = columns(
        _row(memory, memory.filename in new, now) for memory in scan
    )
    lines += [f"{name}: cannot be read: {why}" for name, why in scan.skipped]
    if scan.beyond:
        unread = "" if harness.first_stage else ", which are not read"
        lines.append(f"and {scan.beyond} older ones{unread}")
    head = f"{_count(len(scan))} in {where} ({_MODES[harness.mode]})"
    return [head, *lines, *_personal_lines(harness)]


def _row(memory: MemoryHeader, is_new: bool, now: datetime) -> list[str]:
    return [
        memory.filename,
        str(memory.type or "?"),
        "new" if is_new else age_in_words(memory.mtime, now),
        shorten(one_line(memory.description), 70),
    ]


def _count(number: int, kind: str = "") -> str:
    return f"{number} {kind}memor{'y' if number == 1 else 'ies'}"


def _personal_lines(harness: Harness) -> list[str]:
    """List the personal memories; the project has another one in the place of
    those that do not count here.
    """
    personal = harness.personal
    if not personal.active:
        return []
    found, now = personal.memories(), harness.runtime.clock.now()
    rows = []
    for memory in found.scan:
        row = _row(memory, False, now)
        by = found.hidden.get(memory.filename)
        if by:
            row[-1] = f"left out here: the project has {by}"
        rows.append(row)
    where = harness.context.show(personal.folder)
    return [f"{_count(len(rows), 'personal ')} in {where}", *columns(rows)]


def mode_lines(harness: Harness) -> list[str]:
    """List the further ways to remember: the state of each, and what set it."""
    rows = [["mode", "state", "set by"]]
    for toggle, name in NAMES.items():
        state = "on" if getattr(harness.toggles, toggle) else "off"
        if state == "on" and harness.mode == "off":
            state = "on, but memory is off"
        rows.append([name, state, harness.toggles.source(toggle)])
    return [
        *columns(rows),
        "/modes MODE on switches one on until you leave this chat. To keep it"
        " on, set it in a settings.json.",
    ]


def active_mode_names(harness: Harness) -> list[str]:
    """Name the further ways to remember that are on, with what set each."""
    if harness.mode == "off":
        return []
    return [
        f"{name} ({harness.toggles.source(toggle)})"
        for toggle, name in NAMES.items()
        if getattr(harness.toggles, toggle)
    ]


def recall_lines(harness: Harness, *, everything: bool = False) -> list[str]:
    """Describe the latest recall: who chose, at what cost, and what happened
    to each memory, to the first five or to all.
    """
    report = harness.recall_report
    if report is None or report.selection.by == "off":
        return [
            "Recall is off." if report else "Nothing has been recalled yet."
        ]
    chosen = report.selection
    head = f"“{shorten(report.query, 60)}”: chosen by {chosen.chosen_by}"
    figures = f"{chosen.tokens.input:,} tokens in, {chosen.seconds:g} s"
    rows = report.rows()
    lines = [f"{head}, {figures} {report.when}".rstrip()]
    if report.candidates:
        lines.append(f"candidates: {report.candidates}")
    shown = columns(rows)
    if everything or len(rows) <= SHOWN:
        return [*lines, *shown]
    more = f"and {len(rows) - SHOWN} more: /recall all"
    return [*lines, *shown[:SHOWN], more]


def cost_lines(ledger: Ledger, *, in_dollars: bool = False) -> list[str]:
    """Sum up the tokens of the calls by purpose.

    A service costs money: then the last column is in dollars, with the date of
    the price table, unless a model has no known price.
    """
    sums = {**ledger.by_purpose(), "total": ledger.total()}
    table = price_table()
    known = in_dollars and table.dollars(ledger) is not None
    unit = "US$" if known else ""
    labels = ["uncached", "written", "read", "out", "hit %", unit]
    rows = [["purpose", "calls", *labels]]
    for name, total in sums.items():
        tokens = [f"{count:,}" for count in total.by_kind().values()]
        cost = ""
        if known:
            calls = [
                call for call in ledger if name in (call.purpose, "total")
            ]
            cost = f"{table.dollars(calls):.4f}"
        rows.append(
            [name, f"{total.calls}", *tokens, f"{total.hit_percent}", cost]
        )
    lines = columns(rows)
    if known:
        lines.append(f"Prices as of {table.as_of}.")
    elif in_dollars:
        lines.append("Some calls went to a model whose price is not known.")
    return lines


def status_line(harness: Harness, *, offline: bool) -> str:
    """Say in one line how things stand: memories, whether memory is on, the
    further ways to remember, who answers.
    """
    scan = scan_memory_files(harness.memory, harness.runtime.settings)
    memories = len(scan) + scan.beyond
    asks = harness.options.saving == "ask"
    modes = [one.partition(" (")[0] for one in active_mode_names(harness)]
    said = [
        _count(memories),
        _MODES[harness.mode] + ", asks before saving" * asks,
        *([", ".join(modes)] if modes else []),
        (
            "offline: rules answer"
            if offline
            else harness.runtime.settings.main_model
        ),
    ]
    task = harness.dreams.task
    if task and task.pill:
        said.append(task.pill)
    return " · ".join(said)
