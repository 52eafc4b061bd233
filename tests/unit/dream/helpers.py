"""A memory to dream about, and a dreamer whose every step a test writes down."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memlab.agent.request import RequestPrefix
from memlab.agent.tools import standard_tools
from memlab.dream import ConsolidationLock, Dream, DreamTask, WaitingReview
from memlab.memdir.places import INDEX
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from tests.faults.disks import in_memory
from tests.unit.agent.helpers import AgentSetup, run, use

Call = Mapping[str, Any]
Step = str | Sequence[Call] | Callable[[ModelRequest], str | Sequence[Call]]

PURSE = {
    "tabs.md": (
        "Tabs",
        "user",
        "indents with tabs",
        "Robin indents Python with tabs, four columns wide.",
    ),
    "tabs-again.md": (
        "Tabs again",
        "user",
        "tabs in SQL too",
        "Robin wants tabs in SQL files too, and commas at the start of a line.",
    ),
    "harbour.md": (
        "Harbour office",
        "reference",
        "whom to phone about moorings",
        "The harbour office answers on channel 12, and by telephone 0177 4321.",
    ),
    "freeze.md": (
        "Freeze",
        "project",
        "no releases before Easter",
        "No release between 2026-03-27 and 2026-04-06.\n\n**Why:** the island is full of guests"
        " then.\n\n**How to apply:** merge, but do not tag.",
    ),
    "review.md": (
        "Reviews",
        "feedback",
        "small reviews",
        "Keep reviews below two hundred lines.\n\n**Why:** Robin reads them on the ferry.\n\n"
        "**How to apply:** split a larger change.",
    ),
}


def text(name: str, kind: str, about: str, body: str) -> str:
    """Write a memory file."""
    return f"---\nname: {name}\ndescription: {about}\ntype: {kind}\n---\n\n{body}\n"


def tombstone(**why: str) -> str:
    rows = "".join(f"{key}: {value}\n" for key, value in why.items())
    return f"---\nname: gone\n{rows}---\n"


def live(directory: Path) -> dict[str, str]:
    """Every memory and the index, by name."""
    return {
        path.relative_to(directory).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(directory.rglob("*.md"))
    }


@contextmanager
def dreamer(model: OfflineModel, *steps: Step, role: str = "dream") -> Iterator[None]:
    """Let the offline model dream, or do another job, just so; the last step over and over."""

    def answer(request: ModelRequest) -> Reply:
        number = min(request.answers_since, len(steps) - 1)
        step = steps[number]
        told = step(request) if callable(step) else step
        if isinstance(told, str):
            return Reply([say(told)])
        calls = [
            {"type": "tool_use", "id": f"toolu_{request.answers_since}_{n}", **call}
            for n, call in enumerate(told)
        ]
        return Reply(calls)

    was = dict(model.roles)
    model.roles[role] = answer
    try:
        yield
    finally:
        model.roles = was


class DreamSetup(AgentSetup):
    """A desk with memories; ``sleep`` dreams once, by the steps it is given."""

    def fill(self, purse: Mapping[str, tuple[str, str, str, str]] = PURSE) -> None:
        assert self.context.store
        self.model.latency = {}
        for file, parts in purse.items():
            self.context.store.write_text(file, text(*parts))
            self.clock.advance(60)

    @property
    def shown(self) -> str:
        return self.context.show(self.memory)

    def lock(self, **more: Any) -> ConsolidationLock:
        return ConsolidationLock(self.memory, clock=self.clock, settings=self.settings, **more)

    def dream(self, **more: Any) -> Dream:
        parts: dict[str, Any] = {
            "runtime": self.runtime(),
            "tools": standard_tools(),
            "context": self.context,
            "lock": self.lock(),
            "policy": "apply",
            "room": self.home.parent,
        }
        return Dream(**parts | more)

    def waiting(self) -> WaitingReview:
        """The review of a dream that waits, as a later session has it."""
        store = MemoryStore(self.memory, clock=self.clock)
        return WaitingReview(store, self.lock(), self.context.sessions)

    def prefix(self) -> RequestPrefix:
        tools = tuple(one.definition for one in standard_tools())
        return RequestPrefix(self.settings.main_model, "You are a coding agent.", tools, ())

    def sleep(self, *steps: Step, sessions: Sequence[Path] = (), **more: Any) -> DreamTask:
        with dreamer(self.model, *steps):
            dream = self.dream(**more)
            task: DreamTask = run(lambda: dream.run(self.prefix(), sessions=sessions))
        return task

    def read(self, *files: str) -> list[Call]:
        return [use("Read", file_path=f"{self.shown}/{file}") for file in files]

    def write(self, file: str, content: str) -> Call:
        return use("Write", file_path=f"{self.shown}/{file}", content=content)

    def merge(self) -> list[Step]:
        """A good dream: the two memories of tabs become one."""
        body = f"{PURSE['tabs.md'][3]} {PURSE['tabs-again.md'][3]}"
        return [
            self.read("tabs.md", "tabs-again.md", INDEX),
            [
                self.write("tabs.md", text("Tabs", "user", "tabs in Python and SQL", body)),
                self.write("tabs-again.md", tombstone(superseded_by="tabs.md")),
            ],
            "Two memories of tabs are one now.",
        ]


@contextmanager
def dream_setup(purse: Mapping[str, tuple[str, str, str, str]] = PURSE) -> Iterator[DreamSetup]:
    """A bed with memories in it, in memory where the system offers that."""
    with tempfile.TemporaryDirectory(dir=in_memory(), prefix="memlab-tests-") as name:
        setup = DreamSetup(Path(name) / "home")
        setup.fill(purse)
        yield setup
