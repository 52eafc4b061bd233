"""Real processes, each with an agent of its own, at work on one memory directory.

Each writes down what happens to it, so that what became of the memory can be compared with what
everybody was told. The clock is the system's: it is one for all processes, as on a real machine.
Left out: comparing (``accounts``).
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.clock import SystemClock
from memlab.dream import Held
from memlab.events import Event, EventLog
from memlab.harness import Harness, HarnessObserver, HarnessOptions
from memlab.memdir.places import INDEX, Where
from memlab.memdir.toggles import Toggles
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from memlab.models.request import ModelRequest
from memlab.models.standin.calls import answer_with, path_of, read_step, write_step
from memlab.models.standin.task import read_task
from memlab.models.wire import Reply
from memlab.settings import Settings

OFTEN = Settings().with_changes(dream_min_hours=0, dream_min_sessions=1, dream_scan_minutes=0)
GONE = ("merged", "contradicted", "stale", "dropped")
SIGNS = {"extract_started": b"e", "dream_fired": b"d", "turn": b"t"}
_SYLLABLES = [
    f"{one}{two}{end}" for one in "bdfgklmprtv" for two in "aeiou" for end in ("", *"lnr")
]
Told = dict[str, Any]


@dataclass
class Street:
    """A home with one project, and the logs of all who worked in it."""

    home: Path
    settings: Settings = OFTEN
    running: list[Neighbour] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True)
        self.logs.mkdir()
        self.folder.mkdir(parents=True)
        for number in range(3):
            line = {"type": "user", "message": {"role": "user", "content": f"Hello {number}."}}
            (self.folder / f"before-{number}.jsonl").write_text(json.dumps(line) + "\n")

    @property
    def project(self) -> Path:
        return self.home / "tidebook"

    @property
    def logs(self) -> Path:
        return self.home / "logs"

    @property
    def folder(self) -> Path:
        return self.home / ".memlab" / "projects" / "-home-robin-tidebook"

    @property
    def memory(self) -> Path:
        return self.folder / "memory"

    def harness(self, session: str, events: EventLog) -> Harness:
        clock = SystemClock()
        model = OfflineModel(clock=clock, settings=self.settings)
        model.roles["dream"] = turn_the_index_round
        return Harness(
            self.project,
            HarnessOptions(
                runtime=make_runtime("offline", model=model, settings=self.settings, events=events),
                base=self.home / ".memlab",
                where=Where(self.home, "/home/robin"),
                environ={},
                toggles=Toggles(auto_dream=True),
                session=session,
            ),
        )

    def move_in(self, name: str, sayings: Iterable[str]) -> Neighbour:
        """Fork a process that says these words."""
        ready, said = os.pipe()
        go, started = os.pipe()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                signal.alarm(300)  # whoever is left behind by a test that died ends by itself
                os.read(go, 1)
                asyncio.run(_live(self, name, sayings, said))
                code = 0
            except BaseException:
                (self.logs / f"{name}.error").write_text(traceback.format_exc())
            finally:
                os._exit(code)
        os.close(said)
        os.close(go)
        self.running.append(Neighbour(pid, name, self.logs, ready, started))
        return self.running[-1]

    def told(self, whose: str = "*") -> list[Told]:
        """Read what they wrote down, in the order of time."""
        lines = [
            json.loads(line)
            for path in sorted(self.logs.glob(f"{whose}.jsonl"))
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        return sorted(lines, key=lambda line: line["at"])


@dataclass
class Neighbour:
    """One process, seen from its parent."""

    pid: int
    name: str
    logs: Path
    _ready: int
    _started: int
    ended: bool = False

    def start(self) -> None:
        os.write(self._started, b"g")

    def hear(self, sign: bytes) -> bool:
        """Wait until it says a sign; False if it ended instead."""
        while heard := os.read(self._ready, 1):
            if heard == sign:
                return True
        return False

    def kill(self) -> None:
        if self.ended:
            return
        os.kill(self.pid, signal.SIGKILL)
        line = {"at": _stamp(), "by": self.name, "what": "killed"}
        with (self.logs / "kills.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
        self._bury()  # only now its process id is free, and so is what it held

    def wait(self) -> int:
        """Wait for its end, and give its exit status."""
        while os.read(self._ready, 4_096):
            pass
        return self._bury()

    def _bury(self) -> int:
        self.ended = True
        os.close(self._ready)
        os.close(self._started)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


async def _live(
    street: Street,
    name: str,
    sayings: Iterable[str],
    said: int,
) -> None:
    log = os.open(street.logs / f"{name}.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    events = EventLog(SystemClock())

    def note(what: str, **data: Any) -> None:
        line = {"at": _stamp(), "by": name, "what": what}
        os.write(log, (json.dumps(data | line, default=str) + "\n").encode())
        if sign := SIGNS.get(what):
            os.write(said, sign)

    def happened(event: Event) -> None:
        note(event.name, **event.figures)

    events.subscribe(happened)
    harness = street.harness(name, events)
    _watch_lock(harness, note)

    class Noting(HarnessObserver):
        def on_notice(self, notice: str) -> None:
            note("notice", text=notice, gone=_gone(harness))

    harness.observer = Noting()
    for number, text in enumerate(sayings):
        answer = await harness.say(text)
        assert not answer.error, answer.error
        note("turn", words=text)
        if number % 3 == 0:  # else the next turn begins while extraction or dream goes on
            await harness.drain()
    await harness.drain()


def _stamp() -> str:
    return SystemClock().now().isoformat(timespec="microseconds")


def _gone(harness: Harness) -> list[str]:
    """Name the files that the newest dream's receipt says have left."""
    task = harness.dreams.task
    return [one.file for one in task.receipt.accepted if one.kind in GONE] if task else []


def _watch_lock(harness: Harness, note: Callable[..., None]) -> None:
    """Note when the lock is ours for sure: from after it was taken until before it is given up."""
    lock = harness.dreams.lock
    acquire, finish, rollback = lock.try_acquire, lock.finish, lock.rollback

    def acquired() -> Any:
        if isinstance(seen := acquire(), Held):
            note("held")
        return seen

    def ends(end: Callable[..., bool]) -> Callable[..., bool]:
        def ended(*due: Any) -> bool:
            note("free")
            return end(*due)

        return ended

    lock.try_acquire = acquired  # type: ignore[method-assign]
    lock.finish, lock.rollback = ends(finish), ends(rollback)  # type: ignore[method-assign]


def turn_the_index_round(request: ModelRequest) -> Reply:
    """Dream slowly, with changes at the end: read one memory after the other.

    The index has nearly always been changed by a neighbour in the meantime, a memory never, so a
    blank line at the end of the oldest one comes or goes as well.
    """
    task = read_task(request)
    for header in task.manifest[:8]:
        step = read_step(task, [header.filename])
        if step is not None:
            return step
    step = read_step(task, [INDEX])
    if step is not None:
        return step
    lines = task.files.get(INDEX, "").splitlines()
    content = "".join(f"{line}\n" for line in reversed(lines))
    calls = [("Write", {"file_path": path_of(task, INDEX), "content": content})]
    for header in task.manifest[:8][-1:]:
        text = task.files[header.filename]
        text = text[:-1] if text.endswith("\n\n") else f"{text}\n"
        calls.append(("Write", {"file_path": path_of(task, header.filename), "content": text}))
    return write_step(task, calls) or answer_with("Turned round.")


def things_to_say(seed: int, count: int) -> list[str]:
    """Give things worth keeping, in words that nobody else has; every fourth is nearly said twice.

    Most ask to be remembered, which the agent itself does; some are for the extractor to notice.
    """
    chance = random.Random(seed)

    def word() -> str:
        return "".join(chance.choices(_SYLLABLES, k=3))

    said = list[str]()
    while len(said) < count:
        who, what, where = word().capitalize(), word(), word()
        said.append(f"Remember that {who} keeps the {what} in the {where} by the {word()}.")
        said.append(f"I prefer {word()} {word()}, not {word()}, in all my {word()}.")
        said.append(f"Remember that the {what} is kept by {who} in the {where}, for {word()}.")
        said.append(f"From now on, {word()} every {word()} {word()}, because of the {word()}.")
    return said[:count]
