"""A chat that a test types into: lines in, all that was printed out."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.chat import terminal
from memlab.memdir.paths import forget_paths

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
        ended = terminal.main(["--project", str(tmp_path / "tidebook"), *args])
        printed = capsys.readouterr()
        assert ended == status, printed
        return printed.out + printed.err

    return run
