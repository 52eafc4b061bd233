"""The recall microscope: one recall, memory by memory, with what became of
each and why.

Everything comes from the report that recall returns. With a lab, the learner
can ask a question, and each memory's file can be opened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.course.lab import Lab
from memlab.course.show import Table, table
from memlab.course.widgets.widget import (
    Summarised,
    Widget,
    chip,
    make_button,
    on_enter,
    scrollable,
)
from memlab.memdir.scan import MemoryHeader, one_line
from memlab.recall.attach import Surfaced
from memlab.recall.pipeline import RecallReport, recall

_TYPE = re.compile(r"^- (\[\w+\] )?")
_STYLE = """<style>
.memlab .seen details { border-top: 1px solid #8A8A82; }
.memlab .seen summary, .memlab .seen .head { display: grid; gap: 10px;
  grid-template-columns: minmax(0, 5fr) 3fr 3fr minmax(0, 5fr);
  padding: 3px 6px 3px 22px; cursor: pointer; align-items: center;
  position: relative; overflow-wrap: anywhere; }
.memlab .seen .head { font-weight: 600; cursor: default; }
.memlab .seen summary::before { content: "▸"; position: absolute; left: 6px; }
.memlab .seen details[open] > summary::before { content: "▾"; }
.memlab .seen .bar { display: block; height: 20px; background: #FFFFFF;
  border: 1px solid #595959; border-radius: 3px; position: relative; }
.memlab .seen .bar i { display: block; height: 100%; font-style: normal; }
.memlab .seen .bar b { position: absolute; left: 6px; top: 0; color: #1A1A1A;
  font: 600 13px/18px system-ui, sans-serif; }
.memlab .seen .left i { background: repeating-linear-gradient(45deg,
  #E6E6E0 0 4px, #FFFFFF 4px 8px); border-right: 1px solid #595959; }
.memlab .seen .attached i { background: #A9CDEF;
  border-right: 2px solid #0B4F8A; }
.memlab .seen .attached summary { font-weight: 600; }
@media (max-width: 900px) {
  .memlab .seen summary { grid-template-columns: 1fr; gap: 2px; }
  .memlab .seen .head { display: none; } }
</style>"""


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
            f"chosen by {chosen.chosen_by}",
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

    def places(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        """Return the place of each memory in the chooser's list, and in the
        one by words.
        """
        selection = self.report.selection
        chosen = () if selection.by == "fallback" else selection.chosen
        return _places(chosen), _places(selection.fallback)

    @property
    def table(self) -> Table:
        """One line per memory; those that neither the chooser nor words chose
        share the last line.
        """
        by_chooser, by_words = self.places()
        rows: list[tuple[object, ...]] = []
        dull = 0
        for name, outcome, why in self.report.rows():
            places = by_chooser.get(name), by_words.get(name)
            if why == "not chosen" and not any(places):
                dull += 1
            else:
                rows.append((name, outcome, why, *places))
        if dull:
            rows.append(
                (f"({dull} more)", "left out", "not chosen", None, None)
            )
        return table(
            rows,
            (
                "memory",
                "what became of it",
                "why",
                "place by chooser",
                "place by words",
            ),
        )

    def shown(self, lab: Lab | None = None) -> str:
        """Show every memory as a row in HTML that opens to show the file.

        Text from files and answers is escaped. Without a lab, a memory that
        was not attached shows only what the chooser saw of it.
        """
        by_chooser, by_words = self.places()
        rows = []
        for name, outcome, why in self.report.rows():
            attached = outcome == "attached"
            kind = "attached" if attached else "left"
            label = f"✓ attached, {why}" if attached else f"✕ {why}"
            rows.append(
                f'<details class="{kind}"><summary>'
                f"<span>{escape(name)}</span>"
                f"{_bar(by_chooser.get(name), 'chooser', kind)}"
                f"{_bar(by_words.get(name), 'words', kind)}"
                f"<span>{chip(label, 'good' if attached else 'plain')}</span>"
                f"</summary>{self._opened(name, lab)}</details>"
            )
        head = (
            '<div class="head"><span>memory</span><span>chooser</span>'
            "<span>words</span><span>what became of it</span></div>"
        )
        return f'{_STYLE}<div class="seen">{head}{"".join(rows)}</div>'

    def _opened(self, name: str, lab: Lab | None) -> str:
        lines = self.report.selection.manifest.splitlines()
        sent = [
            line
            for line in lines
            if _TYPE.sub("", line).startswith(f"{one_line(name)} (")
        ]
        line = escape(sent[0] if sent else "nothing")
        texts = [
            each.text
            for each in self.report.attachments
            if each.filename == name
        ]
        if not texts and lab is not None:
            texts = [
                path.read_text("utf-8", "replace")
                for path in lab.memory.glob("*.md")
                if path.name == name
            ]
        files = [scrollable(escape(text), name) for text in texts]
        return f"<p>The chooser saw of it: {line}</p>{''.join(files)}"


def microscope(report: RecallReport, lab: Lab | None = None) -> Widget:
    """Show every memory with the places that the chooser and words gave it;
    the static version is a table.

    With a lab, there is a line to ask a question of your own.
    """
    seen = Microscope(report)
    return Widget(seen, partial(_box, seen, lab))


def _box(seen: Microscope, lab: Lab | None, widgets: ModuleType) -> Any:
    summary, rows = widgets.HTML(), widgets.HTML()

    def show(report: RecallReport) -> None:
        seen = Microscope(report)
        summary.value = f'<p role="status">{escape(seen.summary)}</p>'
        rows.value = seen.shown(lab) if report.rows() else ""

    show(seen.report)
    if lab is None:
        return widgets.VBox([summary, rows])
    line = widgets.Text(
        value=one_line(seen.report.query),
        description="Question",
        layout=widgets.Layout(flex="1 1 auto"),
    )

    async def ask(question: str) -> None:
        button.disabled = True
        try:
            report = await recall(
                question,
                lab.memory,
                lab.runtime,
                surfaced=Surfaced(),
                show=lab.show,
            )
            show(report)
        finally:
            button.disabled = False

    def asked(_: Any = None) -> None:
        if line.value.strip() and not button.disabled:
            lab.start(ask(line.value))

    button = make_button(widgets, "Recall", asked, button_style="primary")
    on_enter(line, asked)
    return widgets.VBox([widgets.HBox([line, button]), summary, rows])


def _places(headers: Sequence[MemoryHeader]) -> dict[str, int]:
    return {
        header.filename: place for place, header in enumerate(headers, start=1)
    }


def _bar(place: int | None, by: str, kind: str) -> str:
    """Draw a place as a bar, in HTML: the first is the longest."""
    words = f"place {place}" if place else "not in its list"
    width = max(20, 120 - 20 * place) if place else 0
    label = str(place) if place else "–"
    return (
        f'<span class="bar {kind}" role="img" aria-label="{by}: {words}">'
        f'<i style="width: {width}%"></i><b>{label}</b></span>'
    )
