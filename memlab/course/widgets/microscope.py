"""The recall microscope: one recall, memory by memory, with what became of
each and why.

Everything comes from the report that recall returns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.course.display import Table, table
from memlab.course.widgets.widget import Summarised, Widget, chooser
from memlab.memdir.scan import one_line
from memlab.recall.pipeline import RecallReport

_TYPE = re.compile(r"^- (\[\w+\] )?")
_CHOOSERS = {
    "model": "the model",
    "fallback": "words, since the model could not",
    "empty": "nobody: there was nothing to ask",
    "off": "nobody: recall is switched off",
}


@dataclass(frozen=True, repr=False)
class Microscope(Summarised):
    """A recall as a person reads it: a line that sums it up, and a table of
    the memories.
    """

    report: RecallReport

    @property
    def summary(self) -> str:
        """Say what was asked, who chose out of how many, at what price, and
        what came of it.
        """
        chosen, report = self.report.selection, self.report
        figures = [
            f"chosen by {_CHOOSERS[chosen.by]}"
            + f" ({chosen.error})" * bool(chosen.error),
            f"{len(chosen.manifest.splitlines())} memories sent",
            f"{chosen.tokens.input:,} tokens in",
            f"{chosen.tokens.output:,} out",
            f"{chosen.seconds} s",
            (
                f"{sum(each.bytes for each in report.attachments):,} bytes"
                " attached"
            ),
            *([report.when] if report.when else []),
        ]
        return f"“{one_line(report.query)}”: {', '.join(figures)}."

    @property
    def table(self) -> Table:
        """One line a memory; those that neither model nor words chose share
        the last line.
        """
        rows = self.report.rows()
        dull = [row for row in rows if row[2] == "not chosen" and not row[3]]
        shown = [row for row in rows if row not in dull]
        if dull:
            shown.append((f"({len(dull)} more)", "left out", "not chosen", ""))
        return table(
            shown, ("memory", "what became of it", "why", "rank by words")
        )

    def shown(self, index: int) -> str:
        """Describe one memory in HTML; text from files and answers is escaped."""
        name, outcome, why, rank = self.report.rows()[index]
        lines = self.report.selection.manifest.splitlines()
        sent = [
            line
            for line in lines
            if _TYPE.sub("", line).startswith(f"{one_line(name)} (")
        ]
        texts = [
            each.text
            for each in self.report.attachments
            if each.filename == name
        ]
        by_words = f"rank {rank}" if rank else "not chosen"
        return (
            f"<p><b>{escape(name)}</b>: {escape(outcome)} ({escape(why)}); by"
            f" words: {by_words}</p><p>What the chooser saw of it:"
            f" {escape(sent[0] if sent else 'nothing')}</p>"
            + "".join(f"<pre>{escape(text)}</pre>" for text in texts)
        )


def microscope(report: RecallReport) -> Widget:
    """Show one memory at a time to choose from; its static version
    is the table of all.
    """
    seen = Microscope(report)
    return Widget(seen, partial(_box, seen))


def _box(seen: Microscope, widgets: ModuleType) -> Any:
    summary = widgets.HTML(f"<p>{escape(seen.summary)}</p>")
    rows = seen.report.rows()
    if not rows:
        return widgets.VBox([summary])
    labels = [f"{name}: {outcome}" for name, outcome, *_ in rows]
    return widgets.VBox(
        [summary, *chooser(widgets, "Memory", labels, seen.shown)]
    )
