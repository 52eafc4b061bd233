from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import ipywidgets
import pytest

from memlab.course import Lab, begin
from memlab.course.widgets.dream import DreamController, DreamView, _Box, dream_widget, shown
from memlab.course.widgets.widget import VIEW
from memlab.dream import DreamTask
from memlab.dream.receipt import Receipt
from memlab.dream.stage import snapshot
from memlab.evidence.pending import PendingChange
from memlab.evidence.review import Change

FILE = "price-list-printing.md"
DIFFS = {"a.md": "--- a\n+++ b\n-<script>"}
SHARP = Change(
    "a.md",
    "stale",
    reason="stale because <b>",
    keeps=0.4,
    loses=("<i>lost</i>",),
)


@pytest.fixture
def lab() -> Lab:
    return begin(11)


def files(lab: Lab) -> Mapping[str, bytes]:
    return snapshot(lab.memory).files


async def until(true: Callable[[], bool]) -> None:
    for _ in range(200_000):
        if true():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to that")


def at_desk(lab: Lab, what: Callable[[DreamController], Awaitable[None]]) -> None:
    async def work() -> None:
        await what(DreamController(lab, pace=0))

    asyncio.run(work())


def test_a_dream_waits_for_an_answer_and_does_what_was_ticked(lab: Lab) -> None:
    before = files(lab)

    async def night(setup: DreamController) -> None:
        setup.start()
        await until(lambda: setup.asking)
        assert setup.busy
        assert setup.task.pill == "dreaming"
        assert files(lab) == before
        setup.decide([one.file for one in setup.task.receipt.accepted if one.file != FILE])
        task = await setup.wait()
        assert not setup.busy
        assert setup.message == task.notice
        assert "you rejected it" in str(task.receipt)

    at_desk(lab, night)
    assert files(lab)[FILE] == before[FILE]
    assert "keep-replies-short.md" not in files(lab)


def test_undo_brings_the_state_before_back_and_tells_it(lab: Lab) -> None:
    before = files(lab)

    async def night(setup: DreamController) -> None:
        setup.start()
        await until(lambda: setup.asking)
        setup.decide([one.file for one in setup.task.receipt.accepted])
        await setup.wait()
        assert files(lab) != before
        setup.undo()
        assert setup.message.startswith("Took back")

    at_desk(lab, night)
    assert files(lab) == before


def test_a_dream_is_stopped_and_another_one_can_start(lab: Lab) -> None:
    before = files(lab)

    async def night(setup: DreamController) -> None:
        assert not setup.stop()
        setup.start()
        await until(lambda: setup.task.phase == "updating")
        setup.start()  # a second click changes nothing
        assert setup.stop()
        task = await setup.wait()
        assert task.phase == "stopped"
        assert "as it was" in setup.message
        setup.start()
        await until(lambda: setup.asking)
        assert setup.stop()
        await setup.wait()
        assert not setup.asking

    at_desk(lab, night)
    assert files(lab) == before


def test_nothing_to_undo_is_told(lab: Lab) -> None:
    async def night(setup: DreamController) -> None:
        setup.undo()
        assert setup.message not in ("", "No dream has run yet.")

    at_desk(lab, night)


def test_three_steps_with_one_primary_button_lead_through_a_dream(lab: Lab) -> None:
    before = files(lab)

    async def night() -> None:
        shown_widget = dream_widget(lab, DreamTask(), pace=0)
        static_version = shown_widget.static.markdown
        steps, buttons, status, rows = shown_widget.box.children
        primary, other, stop = buttons.children
        assert primary.button_style == "primary"
        assert primary.description == "Dream"
        assert "▶ 1 dream" in steps.value
        seen = set[str]()
        status.observe(lambda change: seen.add(change["new"]), names="value")
        primary.click()
        assert primary.disabled
        assert (stop.layout.visibility, other.layout.visibility) == ("visible", "hidden")
        await until(lambda: not primary.disabled)
        assert any("[dreaming] updating" in one for one in seen)
        assert "▶ 2 review" in steps.value
        assert (stop.layout.visibility, other.layout.visibility) == ("hidden", "visible")
        stop.click()  # too late: the changes are still there to decide on
        assert (primary.description, other.description) == (
            "Apply the ticked changes",
            "Reject all",
        )
        around, *changes = rows.children
        assert "stay as they are" in around.value
        ticks = {row.children[0].description: row.children[0] for row in changes}
        assert all("<pre" in row.children[1].value for row in changes)
        ticks[f"{FILE} changed"].value = False
        primary.click()
        await until(lambda: primary.description == "Dream again")
        assert "▶ ✓ 3 done" not in steps.value
        assert "▶ 3 done" in steps.value
        assert "The dream dropped 2 memories, merged 1, changed" in status.value
        heads = {row.children[0].value for row in rows.children[1:]}
        assert sum("✕ not done" in head for head in heads) == 1
        assert sum("✓ done" in head for head in heads) > 1
        assert "you rejected it" in "".join(row.children[1].value for row in rows.children[1:])
        assert files(lab)[FILE] == before[FILE]
        assert files(lab) != before
        other.click()
        assert "Took back" in status.value
        assert shown_widget.static.markdown == static_version

    asyncio.run(night())
    assert files(lab) == before


@pytest.mark.parametrize("last", ["Reject all", "Stop"])
def test_a_dream_that_is_not_accepted_shows_nothing_as_done(lab: Lab, last: str) -> None:
    before = files(lab)

    async def night() -> None:
        controller = DreamController(lab, pace=0)
        box = _Box(controller, ipywidgets).box
        primary, other, _ = box.children[1].children
        primary.click()
        await until(lambda: controller.asking)
        if last == "Stop":
            controller.stop()
        else:
            other.click()
        await until(lambda: not controller.busy)
        await asyncio.sleep(0)
        assert "✓ done" not in "".join(
            row.children[0].value for row in box.children[3].children[1:]
        )

    asyncio.run(night())
    assert files(lab) == before


def test_a_change_is_shown_and_not_run() -> None:
    told = shown(Receipt((SHARP,), diffs=DIFFS), SHARP)
    assert "&lt;script&gt;" in told
    assert "&lt;i&gt;lost&lt;/i&gt;" in told
    assert "<script>" not in told


def test_the_sheet_tells_what_was_done_and_what_it_costs() -> None:
    task = DreamTask()
    refused = Change("b.md", "changed", refused="you rejected it")
    task.receipt = Receipt((SHARP, refused))
    task.end("done", "The dream changed 1 memory.")
    sheet = DreamView(task)
    assert sheet.summary.startswith("done · 0 sessions under review")
    assert sheet.summary.endswith("The dream changed 1 memory.")
    assert sheet.table.rows == (
        ("yes", "a.md", "stale", "stale because <b>", "40%"),
        ("no", "b.md", "changed", "you rejected it", "100%"),
    )


def test_the_face_has_a_twin_for_pages_without_widgets(lab: Lab) -> None:
    async def bundle() -> Any:
        return dream_widget(lab, DreamTask(), pace=0)._repr_mimebundle_()

    found = asyncio.run(bundle())
    assert found["text/plain"].startswith("No dream has run yet.")
    assert VIEW in found


def test_every_diff_is_in_the_static_version() -> None:
    task = DreamTask()
    task.receipt = Receipt((SHARP,), diffs=DIFFS)
    static = DreamView(task).markdown
    assert "```diff\n--- a\n+++ b\n-<script>\n```" in static


def test_a_dream_that_waits_is_not_shown_as_done() -> None:
    flipped = Change("c.md", "changed", reverses=("“Never <b>” → “Always <b>”",))
    task = DreamTask()
    pending = PendingChange("c.md", "", group="dream 1 because too much")
    task.receipt = Receipt((flipped,), pending=(pending,))
    assert DreamView(task).table.rows[0][:2] == ("waits", "c.md")
    assert "A negation changed:</b></p><ul><li>“Never &lt;b&gt;” → “Always" in shown(
        task.receipt, flipped
    )
