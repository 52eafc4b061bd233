"""A person's own prompts: the setting that names them, what differs, and errors at start-up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memlab.cli.chat.prompts import main
from memlab.errors import PromptError
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.places import forget_paths
from memlab.memdir.toggles import prompts_folder
from memlab.prompts import SHIPPED


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    forget_paths()
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    monkeypatch.delenv("MEMLAB_MODEL", raising=False)
    monkeypatch.delenv("MEMLAB_PROMPTS", raising=False)
    (tmp_path / "base").mkdir()
    (tmp_path / "own").mkdir()
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def prompts(project: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    status = main([*arguments, "--project", str(project)])
    printed = capsys.readouterr()
    return status, printed.out + printed.err


def test_only_a_tilde_alone_or_before_a_slash_means_the_home(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, home = project.parent / "base", project.parent
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home)
    for written, meant in (("~/own", home / "own"), ("~own/x", base / "~own/x")):
        (base / "settings.json").write_text(json.dumps({"prompts": written}), encoding="utf-8")
        assert prompts_folder(base / "projects", base=base, environ={}) == meant
    assert prompts_folder(base, base=base, environ={"MEMLAB_PROMPTS": "~own"}) == home / "~own"


@pytest.mark.parametrize("by", ["variable", "settings", "options"])
def test_own_prompts_reach_the_request_by_any_setting(
    by: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = project.parent / "own"
    text = SHIPPED.text("agent").replace("You are a coding agent.", "You are a pilot.")
    (own / "agent.md").write_text(text, encoding="utf-8")
    if by == "variable":
        monkeypatch.setenv("MEMLAB_PROMPTS", str(own))
    elif by == "settings":
        settings = project.parent / "base" / "settings.json"
        settings.write_text(json.dumps({"prompts": "../own"}), encoding="utf-8")
    options = HarnessOptions(prompts=own if by == "options" else None)
    harness = Harness(project, options)
    assert harness.agent.system.startswith("You are a pilot.")
    assert "# Memory" in harness.agent.system
    if by == "options":
        return
    status, said = prompts(project, capsys, "diff")
    assert status == 0
    assert [line[:30] for line in said.splitlines() if line.startswith(("+Y", "-Y"))] == [
        "-You are a coding agent. You w",
        "+You are a pilot. You work in ",
    ]
    status, said = prompts(project, capsys, "list")
    assert [line.split()[0] for line in said.splitlines() if " yours " in line] == ["agent.md"]


def test_a_prompt_that_lost_a_block_stops_the_start_and_is_named(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = project.parent / "own"
    monkeypatch.setenv("MEMLAB_PROMPTS", str(own))
    text = SHIPPED.text("extract").replace("{{manifest}}", "(removed)")
    (own / "extract.md").write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=r"extract\.md: .*\{\{manifest\}\}.*<manifest>"):
        Harness(project)
    status, said = prompts(project, capsys, "diff", "extract")
    assert status == 1
    assert "-{{manifest}}" in said
    assert "the text does not contain {{manifest}}, the block <manifest>" in said


def test_without_own_prompts_nothing_differs(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert prompts(project, capsys, "diff") == (
        0,
        "You have no prompts of your own; memlab's are used.\n",
    )
    monkeypatch.setenv("MEMLAB_PROMPTS", str(project / "none"))
    status, said = prompts(project, capsys, "list")
    assert (status, "there is no such folder of prompts" in said) == (1, True)
