"""A dream to start, to stop and to decide on, change by change. The dream is
a real one, in the lab's memory.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Collection, Mapping
from html import escape
from typing import Any

from memlab.agent.tool import ToolOutcome
from memlab.clock import CourseClock
from memlab.course.agents import dream_once, harness_for
from memlab.course.lab import Lab
from memlab.course.widgets import Widget, button
from memlab.dream.dream import DreamTask
from memlab.dream.receipt import Receipt
from memlab.errors import MemlabError
from memlab.evidence.review import Change
from memlab.models.connect import make_runtime

NOT_YET = "No dream has run yet."
PACE = 0.1
"""How many real seconds a second of the story takes, so that one can watch."""


def review(lab: Lab) -> Widget:
    """Show buttons to dream in the lab's memory."""
    words = f"{NOT_YET} In JupyterLab, buttons to start one are shown here."
    return Widget(words, lambda: _Review(lab).parts)


class _SlowClock(CourseClock):
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds * PACE)
        await super().sleep(seconds)


class _Watched(DreamTask):
    """A dream that says when there is something new to see."""

    def __init__(self, review: _Review) -> None:
        super().__init__()
        self._review = review

    def on_message(self, message: Mapping[str, Any]) -> None:
        super().on_message(message)
        self._review.show()

    def on_tool(self, outcome: ToolOutcome) -> None:
        super().on_tool(outcome)
        self._review.show()


class _Review:
    def __init__(self, lab: Lab) -> None:
        import ipywidgets

        self._make = ipywidgets
        self._lab = _slow(lab)
        self._harness = harness_for(self._lab, "review", dreams=False)
        self._task = DreamTask()
        self._said = NOT_YET
        self._answer: asyncio.Future[Collection[str]] | None = None
        self._busy = False
        self._ticks: dict[str, Any] = {}
        self._status = ipywidgets.HTML()
        self._rows = ipywidgets.VBox()
        self._buttons = ipywidgets.HBox()
        self.parts = [self._status, self._buttons, self._rows]
        self.show()

    def _dream(self) -> None:
        self._busy = True
        self._task = _Watched(self)
        job = self._lab.start(
            dream_once(
                self._lab, self._harness, task=self._task, decide=self._ask
            )
        )
        job.add_done_callback(lambda _: self._ended())
        self.show()

    async def _ask(self, receipt: Receipt) -> Collection[str]:
        self._task.receipt = receipt
        self._answer = asyncio.get_running_loop().create_future()
        self.show()
        return await self._answer

    def _decide(self, wanted: Collection[str]) -> None:
        if self._answer and not self._answer.done():
            self._answer.set_result(wanted)

    def _ended(self) -> None:
        self._answer, self._busy = None, False
        self._said = self._task.notice or "The dream was cancelled."
        self.show()

    def _undo(self) -> None:
        try:
            self._said = self._harness.undo()
        except MemlabError as error:
            self._said = str(error)
        self.show()

    def show(self) -> None:
        """Show what can be seen and done now."""
        task = self._task
        if self._answer and not self._answer.done():
            words = "Nothing is changed before you apply it."
            acts: dict[str, Callable[[], object]] = {
                "Apply the ticked changes": lambda: self._decide(
                    [file for file, tick in self._ticks.items() if tick.value]
                ),
                "Reject all": lambda: self._decide(()),
            }
        elif self._busy:
            tools = ", ".join(
                f"{count} {name}"
                for name, count in sorted(task.tool_counts.items())
            )
            words = (
                f"● {task.phase} · {len(task.sessions)} sessions ·"
                f" {tools or 'no tools yet'} · {task.last_text}"
            )
            acts = {"Stop": task.stop}
        else:
            words = f"○ {self._said}"
            acts = {"Dream": self._dream, "Undo": self._undo}
        self._status.value = f'<p role="status">{escape(words)}</p>'
        names = [one.description for one in self._buttons.children]
        if names != list(acts):
            self._buttons.children = [button(*act) for act in acts.items()]
            self._rows.children = self._changes()

    def _changes(self) -> list[Any]:
        self._ticks.clear()
        receipt = self._task.receipt
        rows = []
        for change in receipt.changes:
            if self._answer and not change.refused:
                head = self._make.Checkbox(
                    value=True, description=change.line, indent=False
                )
                self._ticks[change.file] = head
            else:
                done = receipt.change and not change.refused
                sign = "✓ done" if done else "✕ not done"
                head = self._make.HTML(f"{sign}: {escape(change.line)}")
            rows += [head, self._make.HTML(_described(receipt, change))]
        return rows


def _described(receipt: Receipt, change: Change) -> str:
    """Say what is lost or refused, and show the diff, as HTML."""
    lines = [f"left as it was: {change.refused}"] if change.refused else []
    lines += [f"found nowhere afterwards: {lost}" for lost in change.loses]
    said = "".join(f'<p class="bad">{escape(line)}</p>' for line in lines)
    diff = []
    for line in receipt.diffs.get(change.file, "").splitlines()[2:]:
        tone = {"+": "good", "-": "bad"}.get(line[:1], "")
        diff.append(f'<span class="{tone}">{escape(line)}</span>\n')
    return f'{said}<pre tabindex="0">{"".join(diff)}</pre>'


def _slow(lab: Lab) -> Lab:
    """Return the lab on a clock that people can follow; a live lab as it is."""
    if lab.mode != "offline":
        return lab
    slow = copy.copy(lab)
    slow.clock = _SlowClock(lab.clock.now())
    slow.stand_in = type(lab.model)(
        clock=slow.clock, settings=lab.settings, scripts=lab.model.scripts
    )
    slow.model.roles = lab.model.roles
    runtime = make_runtime(model=slow.model, ledger=lab.ledger)
    slow.__dict__["client"] = runtime.client
    return slow
