from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memlab.course.widgets.face import VIEW
from memlab.course.widgets.microscope import Microscope, microscope
from memlab.ledger import Tokens
from memlab.memdir.memory import MemoryType
from memlab.memdir.scan import MemoryHeader, format_manifest
from memlab.recall.attach import Attachment
from memlab.recall.pipeline import RecallReport
from memlab.recall.selection import LeftOut, Selection

NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)
TEXT = "<system-reminder>\nThe <b>pier</b>.\n</system-reminder>"


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
    (Attachment("pier.md", TEXT, 1_500, 0),),
    (
        LeftOut("seen.md", "surfaced"),
        *(LeftOut(each.filename, "not chosen") for each in (RADIO, *OTHERS)),
    ),
)


def test_the_summary_tells_who_chose_and_why_at_what_price() -> None:
    assert Microscope(REPORT).summary == (
        "“Where do boats land?”: chosen by words, since the model could not (OverloadedError 529), "
        "5 memories sent, 1,234 tokens in, 5 out, 0.4 s, 1,500 bytes attached."
    )
    late = Microscope(replace(REPORT, when="late"))
    assert late.summary.endswith("1,500 bytes attached, late.")


def test_memories_nobody_chose_share_one_line() -> None:
    assert Microscope(REPORT).table.rows == (
        ("pier.md", "attached", "1,500 bytes", "1"),
        ("seen.md", "left out", "surfaced", ""),
        ("radio.md", "left out", "not chosen", "2"),
        ("(3 more)", "left out", "not chosen", ""),
    )


def test_choosing_a_memory_shows_what_the_chooser_saw_and_what_was_attached() -> None:
    _, chooser, told = microscope(REPORT).box.children
    assert "by words: place 1" in told.value
    assert "pier.md (2026-03-30T09:00:00Z): where &lt;i&gt;boats&lt;/i&gt; land" in told.value
    assert "The &lt;b&gt;pier&lt;/b&gt;." in told.value
    chooser.value = 1
    assert "<b>seen.md</b>: left out (surfaced); by words: not chosen" in told.value
    assert "What the chooser saw of it: nothing" in told.value


def test_every_memory_can_be_chosen() -> None:
    _, chooser, _ = microscope(REPORT).box.children
    assert [label for label, _ in chooser.options][-1] == "other-2.md: left out"
    assert len(chooser.options) == 6


def test_a_line_is_found_by_its_own_file_and_not_by_one_it_mentions() -> None:
    mentioned = replace(REPORT, left_out=(LeftOut("old-pier.md", "age"),))
    assert "What the chooser saw of it: nothing" in Microscope(mentioned).shown(1)


def test_the_twin_does_not_change_with_clicks() -> None:
    face = microscope(REPORT)
    before = face._repr_mimebundle_()
    assert "| pier.md | attached | 1,500 bytes | 1 |" in before["text/markdown"]
    assert before["text/plain"].startswith("“Where do boats land?”: chosen by words")
    assert VIEW in before
    face.box.children[1].value = 3
    assert face._repr_mimebundle_()["text/markdown"] == before["text/markdown"]


def test_a_query_is_shown_and_not_run() -> None:
    sharp = replace(REPORT, query="<script>x</script>")
    assert "\\<script>" in microscope(sharp).twin.markdown
    assert "&lt;script&gt;" in microscope(sharp).box.children[0].value


@pytest.mark.parametrize("by", ["off", "empty", "model", "fallback"])
def test_a_recall_that_saw_nothing_is_a_line_without_a_chooser(by: str) -> None:
    face = microscope(RecallReport("Hello", Selection(by=by)))
    assert "0 memories sent" in face.twin.markdown
    assert len(face.box.children) == 1
