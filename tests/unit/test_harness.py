"""Only helpers that other folders still import; to be deleted with the last of them (issue 44)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.events import (
    EventLog,
)
from memlab.harness import Harness, HarnessOptions, Said
from memlab.memdir.places import Where, forget_paths
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from memlab.runtime import Runtime
from memlab.settings import Settings
from memlab.text import as_blocks
from tests.unit.agent.helpers import play, run, use

MEMORY = "~/.memlab/projects/-home-robin-tidebook/memory"
TABS = "---\nname: Tabs\ndescription: tabs, not spaces\ntype: user\n---\n\nTabs, not spaces.\n"
FERRY = "---\nname: Ferry\ndescription: sails at 07:40\ntype: user\n---\n\nIt sails at 07:40.\n"


@dataclass
class House:
    """A home with one project, a model that answers by rules, and a clock of its own."""

    home: Path
    clock: CourseClock = field(default_factory=CourseClock)

    def __post_init__(self) -> None:
        self.project.mkdir(parents=True, exist_ok=True)
        self.model = OfflineModel(clock=self.clock)
        self.events = EventLog(self.clock)

    @property
    def project(self) -> Path:
        return self.home / "tidebook"

    @property
    def base(self) -> Path:
        return self.home / ".memlab"

    @property
    def folder(self) -> Path:
        return self.base / "projects" / "-home-robin-tidebook"

    @property
    def memory(self) -> Path:
        return self.folder / "memory"

    def plays(self, turns: Mapping[str, Any]) -> None:
        self.model.scripts.append(play(turns))

    def runtime(self, **changes: Any) -> Runtime:
        client = make_runtime("offline", model=self.model).client
        return Runtime(client, self.clock, Settings(), self.events).with_changes(**changes)

    def harness(
        self, session: str = "", *, settings: Settings | None = None, **more: Any
    ) -> Harness:
        options = HarnessOptions(
            runtime=self.runtime(settings=settings),
            base=self.base,
            where=Where(self.home, "/home/robin"),
            environ={},
            session=session,
        )
        return Harness(self.project, replace(options, **more))

    def sent(self, purpose: str = "main") -> list[Mapping[str, Any]]:
        return [one.body for one in self.model.requests if one.purpose == purpose]

    def names(self) -> list[str]:
        return sorted(path.name for path in self.memory.glob("*.md") if path.name != "MEMORY.md")


@pytest.fixture
def house(tmp_path: Path) -> House:
    forget_paths()
    return House(tmp_path / "home")


def talk(harness: Harness, *texts: str, drain: bool = True) -> list[Said]:
    async def turns() -> list[Said]:
        said = []
        for text in texts:
            said.append(await harness.say(text))
            if drain:
                await harness.drain()
        return said

    return list(run(turns))


def newest(body: Mapping[str, Any]) -> str:
    """What stands in the last message of a request."""
    return "\n".join(str(one.get("text", "")) for one in as_blocks(body["messages"][-1]["content"]))


def system(body: Mapping[str, Any]) -> str:
    return str(body["system"][0]["text"])


def write(name: str, text: str = TABS) -> dict[str, Any]:
    return use("Write", file_path=f"{MEMORY}/{name}", content=text)
