"""A home with a project, in which a person types commands."""

from __future__ import annotations

import io
import signal
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

import pytest

from memlab.cli import chat
from memlab.cli.commands import guarded
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel, offline
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from tests.house import note, use

FILES = {"coffee.md", "ferry.md", "tabs.md"}


class Desk:
    """The project, the memory of which has three files once ``store`` is asked for."""

    def __init__(self, home: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
        self.base, self.project, self.patch, self.capsys = (
            home / "base",
            home / "boats",
            patch,
            capsys,
        )
        self.project.mkdir()

    def run(
        self, *args: str, of: Callable[[list[str]], int] = chat.main, typed: str = "", status: int = 0,
        person: bool = False,
    ) -> str:  # fmt: skip
        """Run a command while these lines are typed; gives what was printed to both streams."""
        stream = io.StringIO("".join(f"{line}\n" for line in typed.split("|") if line))
        stream.isatty = lambda: person  # type: ignore[method-assign]
        self.patch.setattr("sys.stdin", stream)
        ended = guarded("memlab", lambda: of(["--project", str(self.project), *args]))
        printed = self.capsys.readouterr()
        assert ended == status, printed
        return printed.out + printed.err

    def chat(self, *lines: str) -> str:
        return self.run(typed="|".join(lines))

    @cached_property
    def model(self) -> OfflineModel:
        """The model that answers from now on."""
        model = OfflineModel(chat=True)
        self.patch.setattr(offline, "OfflineModel", lambda **options: model)
        return model

    @cached_property
    def store(self) -> MemoryStore:
        store = MemoryStore(memory_paths(self.project).memory_dir)
        store.write_text("coffee.md", note("Robin drinks it from a blue mug.", "coffee"))
        store.write_text("ferry.md", note("Robin's ferry sails at 07:40.", "ferry"))
        store.write_text("tabs.md", note("Tabs, not spaces, in all code.", "tabs"))
        return store

    def dreams_of_dropping(self, *files: str) -> None:
        """Let a dream drop these files."""
        paths = [str(self.store.directory / file) for file in files]
        gone = "---\nname: x\ndropped: the person has moved on\n---\n"
        reads = [use("Read", file_path=path) for path in paths]
        writes = [use("Write", file_path=path, content=gone) for path in paths]

        def dream(request: ModelRequest) -> Reply:
            step = request.answers_since
            calls = [reads, writes, []][step]
            made = [{"type": "tool_use", "id": f"{step}{n}", **one} for n, one in enumerate(calls)]
            return Reply(made or [say("All is in order.")])

        self.model.roles["dream"] = dream

    def files(self) -> set[str]:
        found = self.base.glob("projects/*/memory/*.md")
        return {path.name for path in found} - {"MEMORY.md"}


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Desk]:
    for name in ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    forget_paths()
    before = signal.getsignal(signal.SIGINT)
    yield Desk(tmp_path, monkeypatch, capsys)
    signal.signal(signal.SIGINT, before)
