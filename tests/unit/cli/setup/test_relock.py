"""The author's command that makes the lock files: one resolution, no address, all or nothing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from memlab.cli import relock
from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import Problem
from memlab.cli.setup.packages import COURSE, DEV, LIGHT, lock_file
from tests.unit.cli.setup.scratch import Scratch


class FakeUv:
    """Records what it was asked to resolve; exports one package more for each extra."""

    def __init__(self, line: str = "a==1 \\\n    --hash=sha256:0\n") -> None:
        self.line = line
        self.resolved: list[str] = []
        self.compiled: dict[str, str] = {}

    def run(self, uv: str, command: str, *options: str, folder: Path) -> str:
        if command == "lock":
            self.resolved.append((folder / "pyproject.toml").read_text("utf-8"))
            return ""
        if command == "pip":
            assert {"compile", "--no-build", "--generate-hashes"} <= set(options)
            # JupyterLite runs in an environment of its own, so it needs what it depends on
            assert "--no-deps" in options or options[-1] == "lite.in"
            assert "dev==2" in (folder / "constraints.txt").read_text("utf-8")
            self.compiled[options[-1]] = (folder / options[-1]).read_text("utf-8")
        extras = [options[i + 1] for i, word in enumerate(options) if word == "--extra"]
        more = "".join(f"{extra}==2 \\\n    --hash=sha256:1\n" for extra in extras)
        return "--index-url https://secret.example/simple\n# made on robin's laptop\n" + (
            self.line + more
        )


@pytest.fixture
def clone(scratch: Scratch, monkeypatch: pytest.MonkeyPatch) -> Clone:
    monkeypatch.setattr(relock.shutil, "which", lambda name: f"/somewhere/{name}")
    return Clone(scratch.root)


def test_one_resolution_gives_all_files_without_an_address(
    clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    uv = FakeUv()
    monkeypatch.setattr(relock, "_run", uv.run)
    assert relock.relock(clone) == 0
    (project,) = [tomllib.loads(text) for text in uv.resolved]
    assert project["project"]["dependencies"] == ["setuptools>=77", "flotsam>=1"]
    assert project["project"]["optional-dependencies"]["dev"] == ["ruff>=0.14"]
    light, course, dev = (
        lock_file(clone, each).read_text("utf-8") for each in (LIGHT, COURSE, DEV)
    )
    assert light.endswith("a==1 \\\n    --hash=sha256:0\n")
    assert "course==2" in course
    assert "dev==2" in dev
    tools = [(clone.locks / f"{each.name}.txt").read_text("utf-8") for each in relock.TOOLS]
    assert all("# Tool " in text and "a==1" in text for text in tools)
    for text in (light, course, dev, *tools):
        assert "secret" not in text
        assert "robin" not in text


@pytest.mark.parametrize("line", ["a @ https://secret.example/a.whl\n", "a @ ../a.whl\n"])
def test_an_address_stops_it_before_anything_is_written(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr(relock, "_run", FakeUv(line).run)
    before = lock_file(clone, LIGHT).read_text("utf-8")
    with pytest.raises(Problem, match="would name an index or a folder"):
        relock.relock(clone)
    assert lock_file(clone, LIGHT).read_text("utf-8") == before


def test_without_uv_it_says_how_to_get_it(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relock.shutil, "which", lambda name: None)
    with pytest.raises(Problem, match="pip install uv"):
        relock.relock(clone)
