"""An agent in a small home of its own, answered by a model whose answers a test writes down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memlab.agent.loop import Agent
from memlab.agent.permissions import Decision
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript, load_transcript
from memlab.clock import CourseClock
from memlab.events import EventLog
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel, Script
from memlab.models.connect import make_runtime
from memlab.models.request import find_fault
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import as_blocks

Turns = Mapping[str, Sequence[str | list[dict[str, Any]]]]


def use(name: str, **given: Any) -> dict[str, Any]:
    """One tool call, as a script has it."""
    return {"name": name, "input": given}


def play(turns: Turns) -> Script:
    """A script from the person's words to steps: a text to say, or a list of tool calls."""
    main = [
        {
            "user": said,
            "steps": [
                {"say": step} if isinstance(step, str) else {"tools": step} for step in answers
            ],
        }
        for said, answers in turns.items()
    ]
    return Script.model_validate({"title": "test", "main": main})


def allow_all(name: str, given: Mapping[str, Any]) -> Decision:
    return Decision(True)


@dataclass
class AgentSetup:
    """Everything an agent works with; ``agent()`` makes one, anew each time."""

    home: Path
    clock: CourseClock = field(default_factory=CourseClock)
    settings: Settings = field(default_factory=Settings)
    model: OfflineModel = field(init=False)
    events: EventLog = field(init=False)

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True)
        self.model = OfflineModel(clock=self.clock, settings=self.settings)
        self.events = EventLog(self.clock)
        self.context = ToolContext(
            project=self.project,
            home=self.home,
            clock=self.clock,
            memory=self.memory,
            store=MemoryStore(self.memory, clock=self.clock),
            sessions=self.sessions,
        )

    @property
    def project(self) -> Path:
        return self.home / "tidebook"

    @property
    def base(self) -> Path:
        return self.home / ".memlab"

    @property
    def sessions(self) -> Path:
        return self.base / "projects" / "-home-robin-tidebook"

    @property
    def memory(self) -> Path:
        return self.sessions / "memory"

    def file(self, name: str, text: str | bytes) -> Path:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def plays(self, turns: Turns) -> None:
        self.model.scripts.append(play(turns))

    def transcript(self, session: str = "session-1", **more: Any) -> Transcript:
        path = self.sessions / f"{session}.jsonl"
        return Transcript(path, clock=self.clock, cwd="/home/robin/tidebook", **more)

    def runtime(self, **changes: Any) -> Runtime:
        client = make_runtime("offline", model=self.model).client
        runtime = Runtime(client, self.clock, self.settings, self.events)
        return runtime.with_changes(**changes)

    def agent(self, *, runtime: Runtime | None = None, **more: Any) -> Agent:
        parts: dict[str, Any] = {
            "runtime": runtime or self.runtime(),
            "model": self.settings.main_model,
            "system": "You are a coding agent.",
            "tools": standard_tools(),
            "context": self.context,
            "permission": allow_all,
        }
        return Agent(**parts | more)

    def sent(self, purpose: str = "main") -> list[Mapping[str, Any]]:
        """The bodies of the requests made for a purpose."""
        return [one.body for one in self.model.requests if one.purpose == purpose]


def run(work: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Run a coroutine function on a loop of its own; a complaint of asyncio's is a failure."""
    complaints: list[Any] = []

    async def main() -> Any:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context))
        try:
            async with asyncio.timeout(seconds):
                return await work()
        finally:
            await settle()

    result = asyncio.run(main())
    assert complaints == []
    return result


async def settle() -> None:
    """Give every task that can still run its turns."""
    for _ in range(200):
        await asyncio.sleep(0)


def blocks(message: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    return [block for block in as_blocks(message["content"]) if block["type"] == kind]


def results(agent: Agent) -> list[Mapping[str, Any]]:
    """Every tool result of a conversation, in order."""
    return [block for message in agent.messages for block in blocks(message, "tool_result")]


def check_whole(agent: Agent) -> None:
    """The conversation would be accepted by the service, and the transcript holds just it."""
    if agent.messages:
        assert find_fault({"model": "m", "max_tokens": 1, "messages": agent.messages}) == ""
    if agent.transcript:
        loaded = load_transcript(agent.transcript.path)
        assert list(loaded.messages) == agent.messages
        assert list(loaded.uuids) == agent.uuids
        assert not loaded.notes
