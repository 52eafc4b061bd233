"""``begin(n)``: a notebook's prepared state, ready to work in.

``notebook_folder`` copies the example's files, and ``baselines`` measures on
them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memlab.bridge import SyncClient
from memlab.clock import Clock, CourseClock, SystemClock
from memlab.course.data_files import data_folder, notebook_numbers
from memlab.course.display import Listing, tree_lines
from memlab.course.gap_list import parts_line, progress, read_parts
from memlab.course.kernel_state import KERNEL_STATE
from memlab.course.measuring import Question, load_questions
from memlab.course.notebook_folder import (
    NotebookFolder,
    course_folder,
    prepare_folder,
)
from memlab.course.own_parts import check, hint, my, solution
from memlab.course.quizzes import answer
from memlab.course.scope import put_in_scope
from memlab.errors import CourseError
from memlab.events import EventLog
from memlab.ledger import Ledger
from memlab.memdir.places import Where
from memlab.memdir.toggles import load_settings, prompts_folder
from memlab.models.connect import choose_model, live_options, make_runtime
from memlab.prompts import Prompts
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import tilde

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

    from memlab.models.offline import OfflineModel

T = TypeVar("T")
ROBINS_HOME = "/home/robin"
MOST_REAL_SECONDS = 5.0  # that a cell may wait
IN_SCOPE = {
    "my": my,
    "check": check,
    "hint": hint,
    "solution": solution,
    "answer": answer,
    "progress": progress,
}
"""What a notebook can use after ``begin`` without an import."""
OFFLINE = "Scripts and rules answer here, not a language model."


class NeedsStandInError(CourseError):
    """A cell needs the stand-in, and a model answers."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"this cell needs the stand-in ({what}), and here a model answers",
            do='Skip it, or use begin(…, mode="offline")',
        )


class LiveClock(SystemClock):
    """The real time as a live notebook's cells have it, in which nothing can
    be skipped.
    """

    def advance(self, seconds: float) -> None:
        """Refuse: only the stand-in's clock can be moved."""
        raise NeedsStandInError("its clock, which can be moved")

    async def sleep(self, seconds: float) -> None:
        """Wait for a few real seconds; refuse to wait for longer."""
        if seconds > MOST_REAL_SECONDS:
            raise NeedsStandInError(f"its clock, to pass {seconds:g} seconds")
        await super().sleep(seconds)


def begin(
    number: int,
    *,
    mode: str | None = None,
    prompts: Path | str | None = None,
) -> Lab:
    """Prepare notebook ``number`` from scratch and print what is ready.

    ``prompts`` is a folder with the prompts that you changed; without it,
    ``MEMLAB_PROMPTS`` names the folder, or there is none.

    Work that an earlier ``begin`` in this kernel left behind is cancelled;
    files changed since then are kept once, as ``NN.previous``. Raises
    CourseError if the state cannot be prepared, PromptError for a prompt that
    cannot be used, and ModelError for an unknown mode and for a live one
    without a key.
    """
    _check_number(number)
    problems = read_parts()
    lab = Lab(number, choose_model(mode or "").mode, prompts)
    put_in_scope(IN_SCOPE)
    for line in [*problems, lab.summary]:
        print(line)
    return lab


def _check_number(number: object) -> None:
    """Raise CourseError unless there is a notebook of this number."""
    numbers = notebook_numbers()
    is_number = isinstance(number, int) and not isinstance(number, bool)
    if not is_number or number not in numbers:
        raise CourseError(
            f"there is no notebook with the number {number!r}",
            where="begin()",
            do=f"Give a number from {numbers[0]} to {numbers[-1]}",
        )


class Lab:
    """What a notebook works with: the example's folders, a clock, a model, and
    what they recorded.
    """

    settings: Settings
    prompts: Prompts
    clock: CourseClock | LiveClock
    events: EventLog
    ledger: Ledger

    def __init__(
        self,
        number: int,
        mode: str,
        prompts: Path | str | None = None,
    ) -> None:
        self.number, self.mode = number, mode
        self._own_prompts = prompts
        self.example: Path = data_folder("example")
        self.questions: tuple[Question, ...] = load_questions(self.example)
        self._prepare()

    def _prepare(self) -> None:
        KERNEL_STATE.cancel_leftovers()
        self._choice = choose_model(self.mode)
        if self._choice.asks == "live":
            # report a missing key before any file is copied
            live_options()
        self._folder: NotebookFolder = prepare_folder(
            self._claimed(), self.example
        )
        self.settings = self._chosen_settings()
        self.prompts = Prompts(
            self._own_prompts or prompts_folder(self.sessions, base=self.base)
        )
        self.prompts.check()
        self.clock = CourseClock() if self.mode == "offline" else LiveClock()
        self.events = EventLog(self.clock)
        self.ledger = Ledger(self.settings)
        self._model = self._offline_model() if self.mode == "offline" else None
        self.__dict__.pop("client", None)
        self.__dict__.pop("sync_client", None)

    def _chosen_settings(self) -> Settings:
        """Return the settings; only a live lab asks what the person has set,
        because it needs the names of their models.
        """
        if self.mode == "offline":
            return Settings()
        settings = load_settings(self.sessions, base=self.base)
        return self._choice.settings(settings)

    def _claimed(self) -> Path:
        return KERNEL_STATE.claim(course_folder(), f"{self.number:02d}")

    def _offline_model(self) -> OfflineModel:
        from memlab.models.offline import OfflineModel
        from memlab.models.standin.scripts import notebook_scripts

        return OfflineModel(
            clock=self.clock,
            settings=self.settings,
            scripts=notebook_scripts(self.number),
        )

    @property
    def model(self) -> OfflineModel:
        """The stand-in, with its faults and its record of requests; raises
        NeedsStandInError in a live lab, which has none.
        """
        if self._model is None:
            raise NeedsStandInError(
                "its scripts, faults or record of requests"
            )
        return self._model

    @model.setter
    def model(self, model: OfflineModel) -> None:
        self._model = model

    @cached_property
    def client(self) -> AsyncAnthropic:
        """The SDK's asynchronous client; made when first asked for, since that
        takes a second.
        """
        return self._connect()

    @cached_property
    def sync_client(self) -> SyncClient:
        """The same client, for code without ``await``."""
        return SyncClient(self._connect())

    def _connect(self) -> AsyncAnthropic:
        return make_runtime(
            self._choice,
            model=self._model,
            ledger=self.ledger,
            clock=self.clock,
            settings=self.settings,
        ).client

    @property
    def answered_by(self) -> str:
        """Who gave the newest answer: ``script``, ``fallback rules`` or
        ``plain reply``; where a model answers, its name.
        """
        if self._model is None:
            return self.settings.main_model
        exchanges = self._model.requests
        return exchanges[-1].source.split(":")[0] if exchanges else ""

    @property
    def runtime(self) -> Runtime:
        """What an agent works with: the client, the clock, the settings, the
        event log and the prompts.
        """
        clock: Clock = self.clock
        if self.mode != "offline":
            # its time-outs are real, and may be longer than a cell may wait
            clock = SystemClock()
        return Runtime(
            self.client, clock, self.settings, self.events, self.prompts
        )

    @property
    def home(self) -> Path:
        """This notebook's own home, shown as ``~``."""
        return self._folder.root

    @property
    def project(self) -> Path:
        """The example's repository."""
        return self._folder.project

    @property
    def base(self) -> Path:
        """Where memlab keeps what it knows, of all projects."""
        return self._folder.base

    @property
    def memory(self) -> Path:
        """The example's memory directory."""
        return self._folder.memory

    @property
    def sessions(self) -> Path:
        """The folder of the example's transcripts, ``*.jsonl``."""
        return self._folder.sessions

    @property
    def where(self) -> Where:
        """What ``~`` means here, for ``memory_paths``: the lab's home, shown
        as Robin's.
        """
        return Where(self.home, ROBINS_HOME)

    @property
    def summary(self) -> str:
        """What is prepared, who answers, and whose parts are used: a short
        line for each.
        """
        memories = sum(
            file.name != "MEMORY.md" for file in self.memory.glob("*.md")
        )
        sessions = len(list(self.sessions.glob("*.jsonl")))
        prepared = (
            f"Notebook {self.number:02d} · ~/{self.project.name}:"
            f" {memories} memories, {sessions} sessions"
        )
        if self.mode == "offline":
            prepared += f" · {self.clock.now():%a %Y-%m-%d %H:%M} UTC"
            answers = OFFLINE
        else:
            answers = self._choice.in_words(self.settings)
        said = [
            prepared,
            answers,
            parts_line(),
            self._other_kernel(),
        ]
        return "\n".join(line for line in said if line)

    def _other_kernel(self) -> str:
        usual = f"{self.number:02d}"
        if self.home.name == usual:
            return ""
        return (
            "Another kernel has this notebook open, so this one works in"
            f" {self.home.name}."
        )

    def show(self, path: Path | str) -> str:
        """Show a path as ``~/…``, the same on every machine."""
        return tilde(path, self.home)

    def tree(self, path: Path | str | None = None, depth: int = 2) -> Listing:
        """List a folder, the home by default, with sizes and times in UTC,
        ``depth`` levels deep.

        Raises CourseError if there is no such folder.
        """
        folder = (
            self.home
            if path is None
            else self.home / str(path).removeprefix("~/")
        )
        if not folder.is_dir():
            raise CourseError(
                "is not a folder", where=self.show(folder), do="See lab.tree()"
            )
        return Listing(
            "\n".join([f"{self.show(folder)}/", *tree_lines(folder, depth)])
        )

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work in the background; the next ``begin`` or ``reset``
        cancels what is left of it.

        Await the task in the same cell.
        """
        task = asyncio.get_running_loop().create_task(work)
        KERNEL_STATE.own(task)
        return task

    def reset(self) -> None:
        """Restore the prepared state, with a new clock, model, ledger and
        event log; prints nothing.
        """
        self._prepare()

    def __repr__(self) -> str:
        return f"<Lab {self.number:02d}, {self.mode}>"
