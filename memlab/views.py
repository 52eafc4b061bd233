"""What a harness shows, as lines of text: its memory, recall, cost and state.

The chat in the terminal and the one in a notebook both print these lines.
``plain`` takes control characters out of what comes from a memory or a model,
so that it cannot write over the screen.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from memlab.harness import Harness
from memlab.ledger import COST_KINDS, Ledger
from memlab.memdir.dates import age_in_words
from memlab.memdir.scan import one_line, scan_memory_files
from memlab.models.prices import price_table
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
        (
            memory.filename,
            str(memory.type or "?"),
            (
                "new"
                if memory.filename in new
                else age_in_words(memory.mtime, now)
            ),
            shorten(one_line(memory.description), 70),
        )
        for memory in scan
    )
    lines += [f"{name}: cannot be read: {why}" for name, why in scan.skipped]
    lines += (
        [f"and {scan.beyond} older ones, which are not read"]
        if scan.beyond
        else []
    )
    count = f"{len(scan)} memor{'y' if len(scan) == 1 else 'ies'}"
    return [f"{count} in {where} ({_MODES[harness.mode]})", *lines]


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
    rows = [(name, became, why) for name, became, why, _ in report.rows()]
    lines = [f"{head}, {figures} {report.when}".rstrip(), *columns(rows)]
    if everything or len(rows) <= SHOWN:
        return lines
    more = f"and {len(rows) - SHOWN} more: /recall all"
    return [*lines[: 1 + SHOWN], more]


def cost_lines(ledger: Ledger, *, in_dollars: bool = False) -> list[str]:
    """Sum up the tokens of the calls by purpose.

    A service costs money: then the last column is in dollars, with the date of
    the price table, unless a model has no known price.
    """
    sums = {**ledger.by_purpose(), "total": ledger.total()}
    labels = [kind.metadata["label"] for kind in COST_KINDS]
    table = price_table()
    known = in_dollars and table.dollars(ledger) is not None
    unit = "US$" if known else ""
    rows = [["purpose", "calls", *labels, "hit %", unit]]
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
    """Say in one line how things stand: memories, mode, who answers."""
    memories = len(scan_memory_files(harness.memory, harness.runtime.settings))
    asks = harness.options.saving == "ask"
    said = [
        f"{memories} memor{'y' if memories == 1 else 'ies'}",
        _MODES[harness.mode] + ", asks before saving" * asks,
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
