"""``memlab dream``: what it would change, what it changed, and how it says that it cannot."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.cli import dream
from memlab.cli.commands import guarded
from memlab.clock import SystemClock
from memlab.dream.lock import ConsolidationLock
from memlab.dream.receipt import is_waiting
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel, offline
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from tests.unit.agent.helpers import use

Run = Callable[..., tuple[int, str]]
TEXT = "---\nname: {0}\ndescription: {0}\ntype: user\n---\n\nRobin has a {0}, which is blue.\n"
FILES = ("mug.md", "boat.md", "hat.md")
DROPPED = ("boat.md", "hat.md")  # numbers 2 and 3; 1 is the index


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory of three files, and a dreamer that drops two of them."""
    for name in ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    monkeypatch.chdir(tmp_path)
    forget_paths()
    directory = memory_paths(tmp_path).memory_dir
    for file in FILES:
        MemoryStore(directory).write_text(file, TEXT.format(file[:-3]))

    def answer(request: ModelRequest) -> Reply:
        paths = [str(directory / file) for file in DROPPED]
        if request.answers_since == 0:
            calls = [use("Read", file_path=path) for path in paths]
        elif request.answers_since == 1:
            text = "---\nname: x\ndropped: the person has sold it for good\n---\n"
            calls = [use("Write", file_path=path, content=text) for path in paths]
        else:
            return Reply([say("All is in order.")])
        return Reply([{"type": "tool_use", "id": f"toolu_{id(one)}"} | one for one in calls])

    def dreamer(**options: object) -> OfflineModel:
        model = OfflineModel(**options)  # type: ignore[arg-type]
        model.roles["dream"] = answer
        return model

    monkeypatch.setattr(offline, "OfflineModel", dreamer)
    return directory


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str, typed: str | None = None) -> tuple[int, str]:
        stream = io.StringIO(typed or "")
        stream.isatty = lambda: typed is not None  # type: ignore[method-assign]
        monkeypatch.setattr("sys.stdin", stream)
        status = guarded("dream", lambda: dream.main(arguments))
        printed = capsys.readouterr()
        return status, printed.out + printed.err

    return run


def files(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.glob("*.md")}


@pytest.mark.behaviour("K5")
@pytest.mark.parametrize(
    ("typed", "status", "left"),
    [
        ("7\n2\n", 0, {"mug.md", "hat.md"}),
        ("2, 3\n", 0, {"mug.md"}),
        ("all\n", 0, {"mug.md"}),
        ("none\n", 0, set(FILES)),
        ("", 1, set(FILES)),  # Ctrl-D
    ],
)
@pytest.mark.parametrize("waiting", [False, True])
def test_the_person_decides_on_each_change_and_can_take_it_back(
    command: Run, memory: Path, waiting: bool, typed: str, status: int, left: set[str]
) -> None:
    before = files(memory)
    if waiting:  # too much is dropped for a dream that nobody watches
        assert [command("--yes")[0] for _ in range(2)] == [1, 2]
        assert files(memory) == before
    ended, said = command(typed=typed)
    assert (ended, "boat.md dropped" in said) == (status, True), said
    assert files(memory).keys() - {"MEMORY.md"} == left
    assert is_waiting(memory) == (waiting and status == 1)
    if left != set(FILES):
        MemoryStore(memory).undo()
    assert files(memory) == before


def test_a_dry_run_shows_and_changes_nothing(command: Run, memory: Path) -> None:
    before = files(memory)
    status, said = command("--dry-run")
    assert (status, files(memory)) == (0, before)
    assert "boat.md dropped: the person has sold it for good" in said
    assert "rules answer, not a language model" in said


def test_it_does_not_start_without_a_terminal_or_beside_another(command: Run, memory: Path) -> None:
    status, said = command()
    assert (status, "--yes" in said) == (2, True)
    ConsolidationLock(memory, clock=SystemClock(), pid=os.getppid()).try_acquire()
    status, said = command("--yes")
    assert (status, str(os.getppid()) in said) == (2, True)
