"""A dream to watch and to decide on: pill, detail, stop, and a receipt with a
checkbox per change.

``DreamController`` does everything without a browser; the box only shows it.
The dream is a real one, in the lab's memory.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from html import escape
from types import ModuleType
from typing import Any

from memlab.agent.tool import ToolOutcome
from memlab.clock import CourseClock
from memlab.course.agents import harness_for
from memlab.course.display import Table, table
from memlab.course.dreaming import dream_once
from memlab.course.lab import Lab
from memlab.course.widgets.widget import Summarised, Widget
from memlab.dream.dream import DreamTask
from memlab.dream.receipt import Receipt
from memlab.errors import MemlabError
from memlab.memdir.review import ProposedChange
from memlab.models.connect import connect

_SHARE = "{:.0%}"


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
        self.message = "No dream so far."
        self.on_change: Callable[[], object] = lambda: None
        self._harness = harness_for(self.lab, "widget", dreams=False)
        self._answer: asyncio.Future[Collection[str]] | None = None
        self._job: asyncio.Task[DreamTask] | None = None

    @property
    def busy(self) -> bool:
        """Whether a dream is under way or waits for an answer."""
        return self._job is not None and not self._job.done()

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
    def state(self) -> str:
        """Say in a line what the dream is doing."""
        task = self.task
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
        applied = "waits" if self.task.receipt.waits else "yes"
        rows = [
            (
                "no" if change.refused else applied,
                change.file,
                change.kind,
                change.refused or change.into or change.reason,
                _SHARE.format(change.keeps),
            )
            for change in self.task.receipt.changes
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
        lambda widgets: _box(DreamController(lab, pace=pace), widgets),
    )


def shown(change: ProposedChange) -> str:
    """Describe one change in HTML, with its diff and losses; text from files
    is escaped.
    """
    losses = _listed("Found nowhere afterwards:", change.loses)
    losses += _listed("A negation changed:", change.reverses)
    losses += _listed("No source found for:", change.unsupported)
    losses += _listed("A rise in authority:", change.rises)
    diff = f"<details><summary>diff</summary><pre>{escape(change.diff)}</pre></details>"
    why = (
        f"<p>Left as it was: {escape(change.refused)}</p>"
        if change.refused
        else ""
    )
    return f"<p><b>{escape(change.line)}</b></p>{why}{losses}{diff if change.diff else ''}"


def _listed(title: str, lines: Collection[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p>{title}</p><ul>{items}</ul>" if items else ""


def _paced(lab: Lab, pace: float) -> Lab:
    """Return the same lab on a clock that people can follow; a live lab is
    returned as it is.
    """
    if lab.mode == "live":
        return lab
    paced = copy.copy(lab)
    paced.clock = PacedClock(lab.clock.now(), pace)
    paced.model = type(lab.model)(
        clock=paced.clock, settings=lab.settings, scripts=lab.model.scripts
    )
    paced.model.roles = lab.model.roles
    client = connect(
        lab.mode, model=paced.model, ledger=lab.ledger, clock=paced.clock
    )
    paced.__dict__["client"] = client
    return paced


def _box(controller: DreamController, widgets: ModuleType) -> Any:
    pill, detail, message = widgets.HTML(), widgets.HTML(), widgets.HTML()
    receipt = widgets.VBox([])
    buttons = {
        name: widgets.Button(description=name)
        for name in ("dream", "stop", "apply", "undo")
    }
    checkboxes: dict[str, Any] = {}

    def apply(button: Any) -> None:
        controller.decide(
            [file for file, checkbox in checkboxes.items() if checkbox.value]
        )

    def refresh() -> None:
        pill.value = (
            f"<b>● {controller.task.pill}</b>"
            if controller.task.pill
            else "<b>○ awake</b>"
        )
        detail.value = f"<p>{escape(DreamView(controller.task).state)}</p>"
        message.value = f"<p>{escape(controller.message)}</p>"
        buttons["dream"].disabled = buttons["undo"].disabled = controller.busy
        buttons["stop"].disabled = not controller.busy
        buttons["apply"].disabled = not controller.asking
        receipt.children = _rows(controller, checkboxes, widgets)

    actions = {
        "dream": controller.start,
        "stop": controller.stop,
        "undo": controller.undo,
    }
    for name, act in actions.items():
        buttons[name].on_click(partial(_clicked, act, refresh))
    buttons["apply"].on_click(apply)
    controller.on_change = refresh
    refresh()
    return widgets.VBox(
        [pill, detail, widgets.HBox(list(buttons.values())), message, receipt]
    )


def _clicked(
    act: Callable[[], object], refresh: Callable[[], None], button: Any
) -> None:
    act()
    refresh()


def _rows(
    controller: DreamController,
    checkboxes: dict[str, Any],
    widgets: ModuleType,
) -> list[Any]:
    """Return a checkbox and the diff for each change; checkboxes are kept
    while the receipt is the same.
    """
    changes = controller.task.receipt.changes
    if not controller.asking:
        checkboxes.clear()
    rows = []
    for change in changes:
        description = widgets.HTML(shown(change))
        if controller.asking and not change.refused:
            checkbox = checkboxes.get(change.file) or widgets.Checkbox(
                value=True,
                description=f"{change.file}: {change.kind}",
                indent=False,
            )
            checkboxes[change.file] = checkbox
            rows.append(widgets.VBox([checkbox, description]))
        else:
            rows.append(description)
    return rows
