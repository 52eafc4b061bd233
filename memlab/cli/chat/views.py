"""What the chat shows of a harness, as lines of text: memory, recall, cost, the state of things.

Whatever stands in a memory or comes from a model is shown without control characters, so that it
cannot write over the screen. Left out: colours and where the lines go.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

from memlab.errors import MemlabError
from memlab.harness import Harness
from memlab.ledger import Ledger
from memlab.memdir.dates import age_in_words
from memlab.memdir.scan import MemoryHeader, one_line, scan_memory_files
from memlab.recall.keyword import keyword_rank
from memlab.text import shorten

FOUND = 5
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MODES = {"full": "memory on", "recall_only": "memory read only", "off": "memory off"}


def plain(text: str) -> str:
    """Give a text without what could steer a terminal; lines and tabs stay."""
    return _CONTROL.sub("", text)


def columns(rows: Iterable[Sequence[str]]) -> list[str]:
    """Set rows in columns."""
    cells = [[one_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)).rstrip() for r in cells]


def memory_lines(harness: Harness) -> list[str]:
    """List the memories, newest first, and where they lie."""
    scan = scan_memory_files(harness.memory, harness.runtime.settings)
    where, now = harness.context.show(harness.memory), harness.runtime.clock.now()
    told = [
        (one.filename, str(one.type or "?"), age_in_words(one.mtime, now), one.description)
        for one in scan
    ]
    lines = columns((f, k, a, shorten(one_line(d), 70)) for f, k, a, d in told)
    lines += [f"{name}: cannot be read: {why}" for name, why in scan.skipped]
    lines += [f"and {scan.beyond} older ones, which are not read"] if scan.beyond else []
    count = f"{len(scan)} memor{'y' if len(scan) == 1 else 'ies'}"
    return [f"{count} in {where} ({_MODES[harness.mode]})", *lines]


def recall_lines(harness: Harness) -> list[str]:
    """Tell of the newest recall: who chose, at what price, and what became of each memory."""
    report = harness.recall_report
    if report is None or report.selection.by == "off":
        return ["Recall is off." if report else "Nothing has been recalled yet."]
    chosen = report.selection
    by = {
        "model": "the model",
        "fallback": f"words, because the model could not choose ({chosen.error})",
    }
    head = f"“{shorten(report.query, 60)}”: chosen by {by.get(chosen.by, 'nobody')}"
    figures = f"{chosen.tokens.get('input_tokens', 0):,} tokens in, {chosen.seconds:g} s"
    rows = [(name, became, why) for name, became, why, _ in report.rows()]
    return [f"{head}, {figures} {report.when}".rstrip(), *columns(rows)]


def cost_lines(ledger: Ledger) -> list[str]:
    """Sum up the calls by purpose; cost is in units of one uncached input token."""
    sums = {**ledger.by_purpose(), "total": ledger.total()}
    rows = [("purpose", "calls", "uncached", "written", "read", "hit %", "out", "cost")]
    rows += [
        (
            name,
            f"{one.calls}",
            f"{one.uncached:,}",
            f"{one.created:,}",
            f"{one.read:,}",
            f"{one.hit_percent}",
            f"{one.output:,}",
            f"{one.cost:,}",
        )
        for name, one in sums.items()
    ]
    return columns(rows)


def status_line(harness: Harness, ledger: Ledger, *, offline: bool) -> str:
    """Say in one line how things stand: memories, mode, tokens, who answers."""
    memories = len(scan_memory_files(harness.memory, harness.runtime.settings))
    total = ledger.total()
    tokens = total.uncached + total.created + total.read
    said = [
        f"{memories} memor{'y' if memories == 1 else 'ies'}",
        _MODES[harness.mode] + (", asks before saving" if harness.options.saving == "ask" else ""),
        f"{tokens:,} tokens in, {total.hit_percent} % from the cache",
        f"{total.output:,} out",
        "offline: rules answer" if offline else harness.runtime.settings.main_model,
    ]
    said += [harness.dreams.task.pill] if harness.dreams.task and harness.dreams.task.pill else []
    return " · ".join(said)


def find(harness: Harness, text: str) -> list[MemoryHeader]:
    """Find memories by file or name, else by words, best first; words in a body count as well."""
    scan = scan_memory_files(harness.memory, harness.runtime.settings)
    asked = text.strip().casefold()
    for one in scan:
        if asked in (one.filename.casefold(), one.filename[:-3].casefold(), one.name.casefold()):
            return [one]
    ranked = keyword_rank(text, scan, FOUND)
    inside = [one for one in scan if one not in ranked and asked in _body(one)]
    return (ranked + inside)[:FOUND]


def memory_text(header: MemoryHeader) -> str:
    """Give the text of a memory for display, or why it cannot be read."""
    try:
        return (header.read().data or b"").decode("utf-8", "replace")
    except (OSError, MemlabError) as error:
        return f"{header.filename} cannot be read: {error}"


def _body(header: MemoryHeader) -> str:
    with suppress(OSError, MemlabError):
        return (header.read().data or b"").decode("utf-8", "replace").casefold()
    return ""
