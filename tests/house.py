"""What most tests are made of: a small home with one project, and a model that says what they like.

The fixture ``house`` (in ``conftest.py``) makes one. Its clock stands at the beginning of the
story, and its model answers by rules, as in the course, until ``answers`` or ``plays`` says
otherwise.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memlab.agent.loop import Agent
from memlab.agent.permissions import Decision
from memlab.agent.tool import ToolContext
from memlab.agent.tools import standard_tools
from memlab.agent.transcript import Transcript
from memlab.clock import CourseClock
from memlab.events import EventLog
from memlab.harness import Harness, HarnessOptions, Said
from memlab.memdir.places import Where
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel, Script
from memlab.models.connect import make_runtime
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import as_blocks, block_text

SHOWN = "~/.memlab/projects/-home-robin-tidebook/memory"  # as a model is told
Call = Mapping[str, Any]
Step = str | Sequence[Call] | Callable[[ModelRequest], str | Sequence[Call]]


def note(body: str, name: str = "Tabs", type: str = "user", about: str = "", **keys: str) -> str:
    """Write the text of a memory; other keys go into its header."""
    more = "".join(f"{key}: {value}\n" for key, value in keys.items())
    about = about or body.split("\n")[0]
    return f"---\nname: {name}\ndescription: {about}\ntype: {type}\n{more}---\n\n{body}\n"


def use(tool: str, **given: Any) -> dict[str, Any]:
    """Make one call of a tool."""
    return {"name": tool, "input": given}


def writes(file: str, text: str) -> dict[str, Any]:
    """Make the call that writes a memory of the house."""
    return use("Write", file_path=f"{SHOWN}/{file}", content=text)


def reads(file: str) -> dict[str, Any]:
    """Make the call that reads one."""
    return use("Read", file_path=f"{SHOWN}/{file}")


@dataclass
class House:
    """A home with one project, a model, a clock and an event log."""

    home: Path
    clock: CourseClock = field(default_factory=CourseClock)
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        self.project = self.home / "tidebook"
        self.base = self.home / ".memlab"
        self.folder = self.base / "projects" / "-home-robin-tidebook"
        self.memory = self.folder / "memory"
        self.project.mkdir(parents=True, exist_ok=True)
        self.model = OfflineModel(clock=self.clock, settings=self.settings, latency={})
        self.events = EventLog(self.clock)

    @property
    def store(self) -> MemoryStore:
        """The store of the project's memory, as somebody else would open it."""
        return MemoryStore(self.memory, clock=self.clock)

    def fill(self, **texts: str) -> None:
        """Write memories a minute apart: ``tabs="Robin wants tabs."`` makes ``tabs.md``."""
        for name, text in texts.items():
            made = text if text.startswith("---") else note(text, name)
            self.store.write_text(f"{name}.md", made, who="user")
            self.clock.advance(60)

    def files(self) -> dict[str, str]:
        """Every memory with its text."""
        paths = sorted(self.memory.rglob("*.md"))
        found = {one.relative_to(self.memory).as_posix(): one.read_text("utf-8") for one in paths}
        return {name: text for name, text in found.items() if not name.endswith("MEMORY.md")}

    def answers(self, purpose: str, *steps: Step) -> None:
        """Say what the model does for a purpose (main, extract, select, dream …), step by step.

        A step is a text to say or a list of calls; a function makes one from the request. The
        last step is repeated.
        """

        def answer(request: ModelRequest) -> Reply:
            number = request.answers_since
            step = steps[min(number, len(steps) - 1)]
            told = step(request) if callable(step) else step
            if isinstance(told, str):
                return Reply([say(told)])
            name = f"toolu_{len(self.model.requests)}_{number}"
            made = [{"type": "tool_use", "id": f"{name}_{n}", **c} for n, c in enumerate(told)]
            return Reply(made)

        self.model.roles[purpose] = answer

    def plays(self, turns: Mapping[str, Sequence[str | Sequence[Call]]]) -> None:
        """Script the main agent: from a person's words to its steps."""
        main = [
            {"user": said, "steps": [{"say" if isinstance(s, str) else "tools": s} for s in steps]}
            for said, steps in turns.items()
        ]
        self.model.scripts.append(Script.model_validate({"title": "test", "main": main}))

    def sent(self, purpose: str = "main") -> list[Mapping[str, Any]]:
        """The bodies of the requests that were made for a purpose."""
        return [one.body for one in self.model.requests if one.purpose == purpose]

    def runtime(self, **changes: Any) -> Runtime:
        client = make_runtime("offline", model=self.model).client
        return Runtime(client, self.clock, self.settings, self.events).with_changes(**changes)

    def harness(self, session: str = "", **more: Any) -> Harness:
        """Open the assembled agent; ``more`` are ``HarnessOptions``."""
        options = HarnessOptions(
            runtime=self.runtime(),
            base=self.base,
            where=Where(self.home, "/home/robin"),
            environ={},
            session=session,
        )
        return Harness(self.project, replace(options, **more))

    def context(self) -> ToolContext:
        return ToolContext(
            project=self.project,
            home=self.home,
            clock=self.clock,
            memory=self.memory,
            store=self.store,
            sessions=self.folder,
        )

    def transcript(self, session: str = "session-1", **more: Any) -> Transcript:
        path = self.folder / f"{session}.jsonl"
        return Transcript(path, clock=self.clock, cwd="/home/robin/tidebook", **more)

    def agent(self, **more: Any) -> Agent:
        """Make a bare agent that may do everything, without memory's parts."""
        parts: dict[str, Any] = {
            "runtime": self.runtime(),
            "model": self.settings.main_model,
            "system": "You are a coding agent.",
            "tools": standard_tools(),
            "context": self.context(),
            "permission": lambda name, given: Decision(True),
        }
        return Agent(**parts | more)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run to the end; what asyncio complains of, or what is left running, is a failure."""
    complaints: list[Any] = []

    async def main() -> Any:
        asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
        async with asyncio.timeout(60):
            result = await work
        for _ in range(200):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return result

    result = asyncio.run(main())
    assert complaints == []
    return result


def talk(harness: Harness, *texts: str) -> list[Said]:
    """Say something, and wait for what follows the turn, as often as there are texts."""

    async def turns() -> list[Said]:
        said = []
        for text in texts:
            said.append(await harness.say(text))
            await harness.drain()
        return said

    return list(run(turns()))


def words(message: Mapping[str, Any]) -> str:
    """All the text in a message, tool results included."""
    return "\n".join(block_text(block) for block in as_blocks(message["content"]))


def git(folder: Path, *command: str, fails: bool = False, **more: str) -> str:
    """Run git deaf to the settings of whoever runs the tests; ``more`` is for its environment."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    clean |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    for who in ("AUTHOR", "COMMITTER"):
        clean |= {f"GIT_{who}_NAME": "Robin", f"GIT_{who}_EMAIL": "robin@example.org"}
    quiet = ["git", "-c", "init.defaultBranch=main", "-c", "core.hooksPath="]
    done = subprocess.run(
        [*quiet, *command], cwd=folder, env=clean | more, capture_output=True, text=True
    )
    assert fails == (done.returncode != 0), done.stderr + done.stdout
    return done.stdout.strip()
