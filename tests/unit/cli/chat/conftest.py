"""A chat that a test types into: lines in, all that was printed out."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.cli.chat import conversation
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from memlab.models import OfflineModel, offline
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from tests.unit.agent.helpers import use

Chat = Callable[..., str]
LIVE = ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in LIVE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    (tmp_path / "tidebook").mkdir()
    forget_paths()
    return tmp_path / "base"


@pytest.fixture
def chat(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Chat:
    def run(*lines: str, args: tuple[str, ...] = (), status: int = 0) -> str:
        typed = "".join(f"{line}\n" for line in lines)
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        ended = conversation.main(["--project", str(tmp_path / "tidebook"), *args])
        printed = capsys.readouterr()
        assert ended == status, printed
        return printed.out + printed.err

    return run


@pytest.fixture
def crowded(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory of three files, and a dreamer that drops two of them."""
    directory = memory_paths(tmp_path / "tidebook").memory_dir
    bodies = {
        "coffee.md": "Robin drinks coffee black, from the blue mug.",
        "ferry.md": "The ferry sails at 07:40 from the old quay.",
        "tabs.md": "Tabs, not spaces, in all code.",
    }
    for file, body in bodies.items():
        name = file.removesuffix(".md").title()
        text = f"---\nname: {name}\ndescription: {name}\ntype: user\n---\n\n{body}\n"
        MemoryStore(directory).write_text(file, text)
    reasons = {
        "coffee.md": "a doctor has forbidden it for good",
        "tabs.md": "the person has moved to another editor",
    }

    def answer(request: ModelRequest) -> Reply:
        paths = {file: str(directory / file) for file in reasons}
        if request.answers_since == 0:
            calls = [use("Read", file_path=path) for path in paths.values()]
        elif request.answers_since == 1:
            calls = [
                use("Write", file_path=paths[file], content=f"---\nname: x\ndropped: {why}\n---\n")
                for file, why in reasons.items()
            ]
        else:
            return Reply([say("All is in order.")])
        return Reply(
            [
                {"type": "tool_use", "id": f"toolu_{request.answers_since}_{n}", **call}
                for n, call in enumerate(calls)
            ]
        )

    def dreaming(**options: Any) -> OfflineModel:
        model = OfflineModel(**options)
        model.roles["dream"] = answer
        return model

    monkeypatch.setattr(offline, "OfflineModel", dreaming)
    return directory
