"""What a harness shows, as lines of text: its memory, recall, cost and state.

The chat in the terminal and the one in a notebook both print these lines.
``plain`` takes control characters out of what comes from a memory or a model,
so that it cannot write over the screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from memlab.harness import Harness
from memlab.ledger import COST_KINDS, Ledger
from memlab.memdir.dates import age_in_words
from memlab.memdir.scan import one_line, scan_memory_files
from memlab.models.prices import price_table
from memlab.text import shorten

_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
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


def memory_lines(harness: Harness) -> list[str]:
    """List the memories, newest first, after a line that says where they are."""
    scan = scan_memory_files(harness.memory, harness.runtime.settings)
    where, now = (
        harness.context.show(harness.memory),
        harness.runtime.clock.now(),
    )
    lines = columns(
        (
            memory.filename,
            str(memory.type or "?"),
            age_in_words(memory.mtime, now),
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


def recall_lines(harness: Harness) -> list[str]:
    """Describe the latest recall: who chose, at what cost, and what happened
    to each memory.
    """
    report = harness.recall_report
    if report is None or report.selection.by == "off":
        return [
            "Recall is off." if report else "Nothing has been recalled yet."
        ]
    chosen = report.selection
    by = {
        "model": "the model",
        "fallback": (
            f"words, because the model could not choose ({chosen.error})"
        ),
    }
    head = (
        f"“{shorten(report.query, 60)}”: chosen by"
        f" {by.get(chosen.by, 'nobody')}"
    )
    figures = f"{chosen.tokens.input:,} tokens in, {chosen.seconds:g} s"
    rows = [(name, became, why) for name, became, why, _ in report.rows()]
    return [f"{head}, {figures} {report.when}".rstrip(), *columns(rows)]


def cost_lines(
    ledger: Ledger, *, answers: Literal["rules", "local", "service"] = "rules"
) -> list[str]:
    """Sum up the calls by purpose, with what they cost.

    Where rules answer, cost is in units of one uncached input token. A service
    costs money: in dollars, with the date of the price table. For a local
    model, and for one that has no known price, only tokens are shown.
    """
    sums = {**ledger.by_purpose(), "total": ledger.total()}
    labels = [kind.metadata["label"] for kind in COST_KINDS]
    table = price_table()
    unit = ""
    if answers == "rules":
        unit = "cost"
    elif answers == "service" and table.dollars(ledger) is not None:
        unit = "US$"
    rows = [["purpose", "calls", *labels, "hit %", unit]]
    for name, total in sums.items():
        tokens = [f"{count:,}" for count in total.by_kind().values()]
        cost = ""
        if unit == "cost":
            cost = f"{total.cost:,}"
        elif unit == "US$":
            calls = [
                call for call in ledger if name in (call.purpose, "total")
            ]
            cost = f"{table.dollars(calls):.4f}"
        rows.append(
            [name, f"{total.calls}", *tokens, f"{total.hit_percent}", cost]
        )
    lines = columns(rows)
    if unit == "US$":
        lines.append(f"Prices as of {table.as_of}.")
    elif answers == "service":
        lines.append("Some calls went to a model whose price is not known.")
    return lines


def status_line(harness: Harness, ledger: Ledger, *, offline: bool) -> str:
    """Say in one line how things stand: memories, mode, tokens, who answers."""
    memories, total = (
        len(scan_memory_files(harness.memory, harness.runtime.settings)),
        ledger.total(),
    )
    said = [
        f"{memories} memor{'y' if memories == 1 else 'ies'}",
        _MODES[harness.mode]
        + (", asks before saving" if harness.options.saving == "ask" else ""),
        f"{total.input:,} tokens in, {total.hit_percent} % from the cache",
        f"{total.output:,} out",
        (
            "offline: rules answer"
            if offline
            else harness.runtime.settings.main_model
        ),
    ]
    said += (
        [harness.dreams.task.pill]
        if harness.dreams.task and harness.dreams.task.pill
        else []
    )
    return " · ".join(said)
