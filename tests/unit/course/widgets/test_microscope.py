from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.course import begin
from memlab.course.widgets.microscope import Microscope, microscope
from memlab.course.widgets.widget import VIEW
from memlab.ledger import Tokens
from memlab.memdir.folder import Found
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader, format_manifest
from memlab.recall.attach import Attachment
from memlab.recall.pipeline import RecallReport
from memlab.recall.selection import LeftOut, Selection

NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)
TEXT = "<system-reminder>\nThe <b>pier</b>.\n</system-reminder>".ljust(1_500)


def header(filename: str, description: str) -> MemoryHeader:
    return MemoryHeader(Path(filename), filename, NOW, "name", description, MemoryType("project"))


PIER = header("pier.md", "where <i>boats</i> land, also old-pier.md (2020)")
RADIO = header("radio.md", "who answers")
OTHERS = [header(f"other-{number}.md", "something else") for number in range(3)]
REPORT = RecallReport(
    "Where do\nboats land?",
    Selection(
        by="fallback",
        chosen=(PIER,),
        manifest=format_manifest([PIER, RADIO, *OTHERS]),
        fallback=(PIER, RADIO),
        error="OverloadedError 529",
        seconds=0.4,
        tokens=Tokens(uncached=1_234, output=5),
    ),
    (Attachment(PIER, TEXT, 0, Found()),),
    (
        LeftOut("seen.md", "surfaced"),
        *(LeftOut(each.filename, "not chosen") for each in (RADIO, *OTHERS)),
    ),
)


def test_the_summary_tells_who_chose_and_why_at_what_price() -> None:
    assert Microscope(REPORT).summary == (
        "“Where do boats land?”: chosen by words, because the model could not choose "
        "(OverloadedError 529), 5 memories sent, 1,234 tokens in, 5 out, 0.4 s, "
        "1,500 bytes attached."
    )
    late = Microscope(replace(REPORT, when="late"))
    assert late.summary.endswith("1,500 bytes attached, late.")


def test_memories_nobody_chose_share_one_line() -> None:
    assert Microscope(REPORT).table.rows == (
        ("pier.md", "attached", "1,500 bytes", "", "1"),
        ("seen.md", "left out", "surfaced", "", ""),
        ("radio.md", "left out", "not chosen", "", "2"),
        ("(3 more)", "left out", "not chosen", "", ""),
    )


def row(html: str, name: str) -> str:
    """The HTML of one memory's row, from its summary to the end of what it opens."""
    rows = html.split("<details")
    return next(part for part in rows if f"<span>{name}</span>" in part)


def test_every_memory_has_a_row_with_both_places_the_reason_and_what_was_attached() -> None:
    _, rows = microscope(REPORT).box.children
    assert rows.value.count("<details") == 6
    pier = row(rows.value, "pier.md")
    assert "✓ attached, 1,500 bytes" in pier
    assert 'class="attached"' in pier
    assert 'aria-label="words: place 1"' in pier
    assert 'aria-label="chooser: not in its list"' in pier  # words chose, not the model
    assert "pier.md (2026-03-30T09:00:00Z): where &lt;i&gt;boats&lt;/i&gt; land" in pier
    assert "The &lt;b&gt;pier&lt;/b&gt;." in pier
    seen = row(rows.value, "seen.md")
    assert "✕ surfaced" in seen
    assert "The chooser saw of it: nothing" in seen
    by_model = replace(REPORT, selection=replace(REPORT.selection, by="model"))
    assert 'aria-label="chooser: place 1"' in row(Microscope(by_model).shown(), "pier.md")


def test_a_line_is_found_by_its_own_file_and_not_by_one_it_mentions() -> None:
    mentioned = replace(REPORT, left_out=(LeftOut("old-pier.md", "age"),))
    assert "saw of it: nothing" in row(Microscope(mentioned).shown(), "old-pier.md")


def test_the_learners_own_question_is_recalled_and_every_file_can_be_opened() -> None:
    async def asked() -> tuple[Any, Any]:
        lab = begin(4)
        box = microscope(REPORT, lab).box
        question, summary, rows = box.children
        line, button = question.children
        line.value = "Which quotes does the linter want?"
        button.click()
        await asyncio.sleep(0)
        while button.disabled:
            await asyncio.sleep(0)
        return summary.value, rows.value

    summary, rows = asyncio.run(asked())
    assert "Which quotes does the linter want?" in summary
    assert "chosen by fallback rules" in summary
    assert "The chooser saw of it: nothing" not in rows
    assert rows.count("<pre") == rows.count("<details")


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        (Selection(by="model"), "the model"),
        (Selection(by="model", source="fallback rules"), "fallback rules"),
        (Selection(by="fallback", error="x"), "words, because the model could not choose (x)"),
        (Selection(), "nobody: nothing to choose from"),
        (Selection(by="off"), "nobody: recall is off"),
    ],
)
def test_it_says_who_really_chose(selection: Selection, words: str) -> None:
    assert f"chosen by {words}, " in Microscope(RecallReport("Hello", selection)).summary


def test_the_twin_does_not_change_with_questions() -> None:
    async def shown() -> tuple[Any, Any]:
        shown_widget = microscope(REPORT, begin(4))
        before = shown_widget._repr_mimebundle_()
        shown_widget.box.children[0].children[0].value = "Another question"
        return before, shown_widget._repr_mimebundle_()

    before, after = asyncio.run(shown())
    assert "| pier.md | attached | 1,500 bytes |  | 1 |" in before["text/markdown"]
    assert before["text/plain"].startswith("“Where do boats land?”: chosen by words")
    assert VIEW in before
    assert before["text/markdown"] == after["text/markdown"]


def test_a_query_is_shown_and_not_run() -> None:
    sharp = replace(REPORT, query="<script>x</script>")
    assert "\\<script>" in microscope(sharp).static.markdown
    assert "&lt;script&gt;" in microscope(sharp).box.children[0].value


@pytest.mark.parametrize("by", ["off", "empty", "model", "fallback"])
def test_a_recall_that_saw_nothing_is_a_line_without_rows(by: str) -> None:
    shown_widget = microscope(RecallReport("Hello", Selection(by=by)))
    assert "0 memories sent" in shown_widget.static.markdown
    assert shown_widget.box.children[1].value == ""
