"""A dream to watch and to decide on, in three steps: dream, review, done.

``DreamController`` does everything without a browser; the box only shows it.
The dream is a real one, in the lab's memory.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from html import escape
from types import ModuleType
from typing import Any

from memlab.agent.tool import ToolOutcome
from memlab.clock import CourseClock
from memlab.course.agents import dream_once, harness_for
from memlab.course.display import Table, fenced, literal, table
from memlab.course.lab import Lab
from memlab.course.widgets.widget import (
    Summarised,
    Widget,
    chip,
    coloured_diff,
    listed,
    make_button,
)
from memlab.dream.dream import DreamTask
from memlab.dream.receipt import NO_SOURCE, Receipt
from memlab.errors import MemlabError
from memlab.evidence.review import Change
from memlab.evidence.support import Verdict
from memlab.models.connect import make_runtime

_SHARE = "{:.0%}"
STEPS = ("dream", "review", "done")
NOT_YET = "No dream has run yet."


class PacedClock(CourseClock):
    """A course clock on which each second also takes part of a real second, so
    that people can watch.
    """

    def __init__(self, start: Any, pace: float) -> None:
        super().__init__(start)
        self._pace = pace

    async def sleep(self, seconds: float) -> None:
        """Wait for so many seconds of the story."""
        if self._pace:
            end = self.now() + timedelta(seconds=seconds)
            await asyncio.sleep(seconds * self._pace)
            # meanwhile, another sleeper may have advanced the clock
            left = (end - self.now()).total_seconds()
            self.advance(max(0.0, left))
        else:
            await super().sleep(seconds)


class DreamController:
    """What a person can do with dreams of a lab: start, stop, decide change by
    change, undo.

    ``pace`` is how many real seconds a second of the story takes offline.
    ``on_change`` is called whenever there is something new to see.
    """

    def __init__(self, lab: Lab, *, pace: float = 0.1) -> None:
        self.lab = _paced(lab, pace)
        self.task = DreamTask()
        self.message = NOT_YET
        self.on_change: Callable[[], object] = lambda: None
        self._harness = harness_for(self.lab, "widget", dreams=False)
        self._answer: asyncio.Future[Collection[str]] | None = None
        self._job: asyncio.Task[DreamTask] | None = None

    @property
    def busy(self) -> bool:
        """Whether a dream is under way or waits for an answer."""
        return self._job is not None and not self._job.done()

    @property
    def step(self) -> str:
        """The step of ``STEPS`` that comes now."""
        if self.asking:
            return "review"
        return "done" if self._job and not self.busy else "dream"

    @property
    def asking(self) -> bool:
        """Whether the receipt waits for an answer."""
        return self._answer is not None and not self._answer.done()

    def start(self) -> None:
        """Begin a dream, unless one is under way."""
        if self.busy:
            return
        self.task = _Watched(lambda: self.on_change())
        dream = dream_once(
            self.lab, self._harness, task=self.task, decide=self._decide
        )
        self._job = self.lab.start(dream)
        self._job.add_done_callback(lambda job: self._ended())

    def stop(self) -> bool:
        """End the dream; False if there is none to end."""
        return self.task.stop()

    def decide(self, wanted: Collection[str]) -> None:
        """Answer the receipt with the files whose change is wanted; all others
        stay.
        """
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(wanted)

    def undo(self) -> None:
        """Take back the newest change to the memory, and say what that was."""
        try:
            self.message = self._harness.undo()
        except MemlabError as error:
            self.message = str(error)
        self.on_change()

    async def wait(self) -> DreamTask:
        """Wait until the dream is over."""
        if self._job is not None:
            await asyncio.wait([self._job])
        return self.task

    async def _decide(self, receipt: Receipt) -> Collection[str]:
        self.task.receipt = receipt
        self._answer = asyncio.get_running_loop().create_future()
        self.on_change()
        return await self._answer

    def _ended(self) -> None:
        self._answer = None
        self.message = (
            self.task.notice
            or "The dream was cancelled. The memory is as it was."
        )
        self.on_change()


class _Watched(DreamTask):
    """A dream that says whenever something new can be seen of it."""

    def __init__(self, on_change: Callable[[], object]) -> None:
        super().__init__()
        self._on_change = on_change

    def on_message(self, message: Mapping[str, Any]) -> None:
        super().on_message(message)
        self._on_change()

    def on_tool(self, outcome: ToolOutcome) -> None:
        super().on_tool(outcome)
        self._on_change()


@dataclass(frozen=True, repr=False)
class DreamView(Summarised):
    """A dream as a person sees it: its state, what it did, and its receipt."""

    task: DreamTask

    @property
    def summary(self) -> str:
        """Say in a line what the dream has done, and how it ended."""
        return " · ".join(
            part for part in (self.state, self.task.notice) if part
        )

    @property
    def markdown(self) -> str:
        """The line, the table, and each change's diff."""
        parts = [
            super().markdown if self.table.rows else literal(self.summary)
        ]
        receipt = self.task.receipt
        diffs = [
            f"**{literal(change.line)}**"
            f"\n\n{fenced(receipt.diffs[change.file], 'diff')}"
            for change in receipt.changes
            if change.file in receipt.diffs
        ]
        return "\n\n".join([*parts, *diffs])

    @property
    def state(self) -> str:
        """Say in a line what the dream is doing."""
        task = self.task
        if task.started is None and task.phase == "starting":
            return NOT_YET
        tools = ", ".join(
            f"{n} {name}" for name, n in sorted(task.tool_counts.items())
        )
        sessions = f"{len(task.sessions)} sessions under review"
        state = f"[{task.pill}] {task.phase}" if task.pill else task.phase
        parts = [
            state,
            sessions,
            tools,
            f"{len(task.files_touched)} files touched",
        ]
        return " · ".join(part for part in parts if part)

    @property
    def table(self) -> Table:
        """One line per change: what it is, where the content went, what would
        be lost.
        """
        receipt = self.task.receipt
        applied = {
            change.file: "no" if change.refused else "yes"
            for change in receipt.changes
        } | dict.fromkeys(receipt.proposed, "waits")
        rows = [
            (
                applied[change.file],
                change.file,
                change.kind,
                change.refused or change.into or change.reason,
                _SHARE.format(change.keeps),
            )
            for change in receipt.changes
        ]
        return table(
            rows, ("applied", "file", "change", "why, or into", "keeps")
        )


def dream_widget(lab: Lab, task: DreamTask, *, pace: float = 0.1) -> Widget:
    """Show buttons to dream in the lab's memory; the static version is the
    dream ``task``, which is over.
    """
    return Widget(
        DreamView(task),
        lambda widgets: _Box(DreamController(lab, pace=pace), widgets).box,
    )


def shown(receipt: Receipt, change: Change) -> str:
    """Describe one change in HTML: what it keeps, what goes, what has no
    source, and its diff. Text from files is escaped.
    """
    file, diff = change.file, receipt.diffs.get(change.file, "")
    unsupported = receipt.gained(file, *NO_SOURCE)
    kept = f"keeps {_SHARE.format(change.keeps)} of what it said"
    chips = [] if change.kind in ("created", "index") else [chip(kept)]
    if change.refused:
        chips.append(chip(f"✕ left as it was: {change.refused}", "bad"))
    if change.loses:
        chips.append(chip(f"{_sentences(change.loses)} gone", "bad"))
    if unsupported:
        chips.append(chip(f"{_sentences(unsupported)} unsupported", "note"))
    parts = [
        f"<p>{''.join(chips)}</p>" if chips else "",
        listed("Goes, and is found nowhere afterwards:", change.loses),
        listed("A negation changed:", change.reverses),
        listed("No source was found for:", unsupported),
        listed(
            "Claims more authority than its source:",
            receipt.gained(file, Verdict.RISE),
        ),
        listed(
            "Inferred by the dream:", receipt.gained(file, Verdict.INFERRED)
        ),
        coloured_diff(diff, f"diff of {file}") if diff else "",
    ]
    return "".join(parts)


def _sentences(lines: Collection[str]) -> str:
    return f"{len(lines)} sentence{'s' * (len(lines) != 1)}"


def _around(controller: DreamController) -> str:
    """Describe in HTML what concerns the whole dream: what is left alone,
    what waits, and what code did to the index.
    """
    receipt = controller.task.receipt
    touched = {change.file for change in receipt.changes}
    memories = controller.lab.memory.glob("*.md")
    others = sum(path.name not in touched for path in memories)
    kept = f"{others} file{'s' * (others != 1)} stay as they are"
    return "".join(
        (
            f"<p>{chip(kept, 'good')}</p>",
            listed("It waits because:", [receipt.waits] * bool(receipt.waits)),
            listed("To decide:", receipt.suspicions),
            listed("Code puts the index in order:", receipt.index_report),
        )
    )


def _paced(lab: Lab, pace: float) -> Lab:
    """Return the same lab on a clock that people can follow; a live lab is
    returned as it is.
    """
    if lab.mode != "offline":
        return lab
    paced = copy.copy(lab)
    paced.clock = PacedClock(lab.clock.now(), pace)
    paced.stand_in = type(lab.model)(
        clock=paced.clock, settings=lab.settings, scripts=lab.model.scripts
    )
    paced.model.roles = lab.model.roles
    runtime = make_runtime(model=paced.model, ledger=lab.ledger)
    paced.__dict__["client"] = runtime.client
    return paced


class _Box:
    """The three steps, the primary button with the others beside it, and a
    row for each change.

    *Stop* has a place to itself: a click on it that comes too late must not
    reject the changes.
    """

    def __init__(
        self, controller: DreamController, widgets: ModuleType
    ) -> None:
        self._controller, self._widgets = controller, widgets
        self._steps, self._status = widgets.HTML(), widgets.HTML()
        self._primary = make_button(
            widgets, "", self._go_on, button_style="primary"
        )
        self._other = make_button(widgets, "", self._go_back)
        self._stop = make_button(widgets, "Stop", self._end)
        self._rows = widgets.VBox([])
        self._checkboxes: dict[str, Any] = {}
        self._shown: tuple[object, ...] = ()
        buttons = widgets.HBox([self._primary, self._other, self._stop])
        self.box = widgets.VBox(
            [self._steps, buttons, self._status, self._rows]
        )
        controller.on_change = self.refresh
        self.refresh()

    def _go_on(self) -> None:
        """Do what the primary button says."""
        if self._controller.asking:
            self._controller.decide(
                [
                    file
                    for file, checkbox in self._checkboxes.items()
                    if checkbox.value
                ]
            )
        else:
            self._controller.start()
        self.refresh()

    def _go_back(self) -> None:
        """Do what the other button says."""
        if self._controller.asking:
            self._controller.decide(())
        elif not self._controller.busy:
            self._controller.undo()
        self.refresh()

    def _end(self) -> None:
        if not self._controller.asking:
            self._controller.stop()
        self.refresh()

    def refresh(self) -> None:
        """Show the controller as it is now."""
        controller = self._controller
        labels = {
            "dream": ("Dream", "Undo the newest change"),
            "review": ("Apply the ticked changes", "Reject all"),
            "done": ("Dream again", "Undo the newest change"),
        }
        primary, other = labels[controller.step]
        dreaming = controller.busy and not controller.asking
        if dreaming:
            primary = "Dreaming …"
        self._primary.description = primary
        self._primary.disabled = dreaming
        self._other.layout.visibility = "hidden" if dreaming else "visible"
        self._stop.layout.visibility = "visible" if dreaming else "hidden"
        self._other.description = other
        self._steps.value = _steps_in_html(controller.step)
        self._status.value = _status_in_html(controller)
        now = (controller.task.receipt, controller.asking, controller.busy)
        if now != self._shown:
            self._shown = now
            self._rows.children = self._change_rows()

    def _change_rows(self) -> list[Any]:
        self._checkboxes.clear()
        controller, widgets = self._controller, self._widgets
        receipt = controller.task.receipt
        changes = receipt.changes
        if not changes or (controller.busy and not controller.asking):
            return []
        rows = [widgets.HTML(_around(controller))]
        for change in sorted(changes, key=lambda one: one.kind == "index"):
            description = widgets.HTML(shown(receipt, change))
            if controller.asking and not change.refused:
                head = widgets.Checkbox(
                    value=True, description=change.line, indent=False
                )
                head.add_class("change")
                self._checkboxes[change.file] = head
            else:
                head = widgets.HTML(_head(change, controller))
            rows.append(widgets.VBox([head, description]))
        return rows


def _head(change: Change, controller: DreamController) -> str:
    """Say in HTML what became of a change that cannot be decided on."""
    done = controller.task.receipt.change and not change.refused
    mark = chip("✓ done", "good") if done else chip("✕ not done", "bad")
    return f"<p>{mark} <b>{escape(change.line)}</b></p>"


def _steps_in_html(now: str) -> str:
    """Show the steps in a row; the one that comes now is marked."""
    place = STEPS.index(now)
    parts = []
    for number, name in enumerate(STEPS):
        label = f"{'✓ ' * (number < place)}{number + 1} {name}"
        current = ' aria-current="step"' if number == place else ""
        words = chip(f"▶ {label}", "note") if current else chip(label)
        parts.append(f"<span{current}>{words}</span>")
    return f'<p aria-label="steps">{" → ".join(parts)}</p>'


def _status_in_html(controller: DreamController) -> str:
    if controller.asking:
        count = len(controller.task.receipt.accepted)
        words = (
            f"It wants to make {count} change{'s' * (count != 1)}. Nothing is"
            " changed before you apply them."
        )
    elif controller.busy:
        words = f"● {DreamView(controller.task).state}"
    else:
        words = f"○ awake · {controller.message}"
    return f'<p role="status">{escape(words)}</p>'
