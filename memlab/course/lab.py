"""``begin(n)``: a notebook's prepared state, ready to work in."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Coroutine
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memlab.clock import CourseClock, SystemClock
from memlab.course.data_files import data_folder, notebook_numbers
from memlab.course.gap_list import parts_line, progress
from memlab.course.kernel_state import KERNEL_STATE, put_in_scope
from memlab.course.notebook_folder import prepare_folder
from memlab.course.own_parts import check, hint, my, solution
from memlab.course.story import load_questions
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
    "progress": progress,
}
"""What a notebook can use after ``begin`` without an import."""


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


def begin(number: int, *, mode: str = "") -> Lab:
    """Prepare notebook ``number`` from scratch and print what is ready.

    Work that an earlier ``begin`` in this kernel left behind is cancelled, and
    the notebook's files are made again. Raises
    CourseError if the state cannot be prepared, PromptError for a prompt that
    cannot be used, and ModelError for an unknown mode and for a live one
    without a key.
    """
    numbers = notebook_numbers()
    if number not in numbers:
        raise CourseError(
            f"there is no notebook with the number {number!r}",
            where="begin()",
            do=f"Give a number from {numbers[0]} to {numbers[-1]}",
        )
    problems = my.load()
    lab = Lab(number, mode)
    put_in_scope(IN_SCOPE)
    print(*problems, lab.summary, sep="\n")
    return lab


class SyncClient:
    """Waits for the calls of a client, which run in a thread of their own."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._loop = loop = asyncio.new_event_loop()
        self.messages = self
        threading.Thread(target=_serve, args=(loop,), daemon=True).start()
        weakref.finalize(self, loop.call_soon_threadsafe, loop.stop)

    def wait(self, call: Any) -> Any:
        """Wait for one call."""
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()

    def create(self, **body: Any) -> Any:
        """Ask for one message."""
        return self.wait(self._client.messages.create(**body))


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()


class Lab:
    """What a notebook works with: its own copy of the example, a clock, a
    model, and what they recorded.

    ``home`` is shown as ``~``. In it are the repository ``project`` and
    ``base``, where memlab keeps all it knows: the example's transcripts in
    ``sessions``, and its directory ``memory``.
    """

    clock: CourseClock | LiveClock

    def __init__(self, number: int, mode: str = "") -> None:
        self.number = number
        self._choice = choose_model(mode)
        self.mode = self._choice.mode
        self.example = data_folder("example")
        self.questions = load_questions(self.example)
        self.reset()

    def reset(self) -> None:
        """Restore the prepared state, with a new clock, model, ledger and
        event log; prints nothing.
        """
        KERNEL_STATE.cancel_leftovers()
        if self._choice.asks == "live":
            live_options()  # reports a missing key before any file is copied
        folder = prepare_folder(self.number, self.example)
        self.home, self.project = folder.root, folder.project
        self.base = folder.base
        self.sessions, self.memory = folder.sessions, folder.memory
        self.where = Where(self.home, ROBINS_HOME)
        self.settings = Settings()
        self.clock = CourseClock()
        self.stand_in = None
        if self.mode == "offline":
            self.stand_in = self._stand_in()
        else:
            own = load_settings(self.sessions, base=self.base)
            self.settings = self._choice.settings(own)
            self.clock = LiveClock()
        self.prompts = Prompts(prompts_folder(self.sessions, base=self.base))
        self.prompts.check()
        self.events = EventLog(self.clock)
        self.ledger = Ledger(self.settings)
        vars(self).pop("client", None)
        vars(self).pop("sync_client", None)

    def _stand_in(self) -> OfflineModel:
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
        if self.stand_in is None:
            raise NeedsStandInError(
                "its scripts, faults or record of requests"
            )
        return self.stand_in

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
            model=self.stand_in,
            ledger=self.ledger,
            clock=self.clock,
            settings=self.settings,
        ).client

    @property
    def runtime(self) -> Runtime:
        """What an agent works with; a live one has the real clock, because its
        time-outs may be longer than a cell may wait.
        """
        clock = self.clock if self.mode == "offline" else SystemClock()
        return Runtime(
            self.client, clock, self.settings, self.events, self.prompts
        )

    @property
    def answered_by(self) -> str:
        """Who gave the newest answer: ``script``, ``fallback rules`` or
        ``plain reply``; where a model answers, its name.
        """
        if self.stand_in is None:
            return self.settings.main_model
        requests = self.stand_in.requests
        return requests[-1].source.split(":")[0] if requests else ""

    @property
    def summary(self) -> str:
        """What is prepared, who answers, and whose parts are used: a short
        line for each.
        """
        memories = len(
            {*self.memory.glob("*.md")} - {self.memory / "MEMORY.md"}
        )
        sessions = len([*self.sessions.glob("*.jsonl")])
        prepared = f"Notebook {self.number:02d} · ~/{self.project.name}:"
        prepared += f" {memories} memories, {sessions} sessions"
        answers = "Scripts and rules answer here, not a language model."
        if self.mode == "offline":
            prepared += f" · {self.clock.now():%a %Y-%m-%d %H:%M} UTC"
        else:
            answers = self._choice.in_words(self.settings)
        return "\n".join(filter(None, (prepared, answers, parts_line())))

    def show(self, path: Path | str) -> str:
        """Show a path as ``~/…``, the same on every machine."""
        return tilde(path, self.home)

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work in the background; the next ``begin`` or ``reset``
        cancels what is left of it.

        Await the task in the same cell.
        """
        task = asyncio.get_running_loop().create_task(work)
        KERNEL_STATE.own(task)
        return task
