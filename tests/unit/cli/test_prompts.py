"""A person's own prompts: what differs from memlab's, and one that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.cli.prompts import main
from memlab.errors import PromptError
from memlab.memdir.places import forget_paths
from memlab.prompts import SHIPPED


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    forget_paths()
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    monkeypatch.setenv("MEMLAB_PROMPTS", str(tmp_path))
    return tmp_path


def run(own: Path, action: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main([action, "--project", str(own)]) == 0
    return capsys.readouterr().out


def test_what_was_changed_is_shown(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "No prompt of yours differs" in run(own, "diff", capsys)
    text = SHIPPED.text("agent").replace("You are a coding agent.", "You are a pilot.")
    (own / "agent.md").write_text(text, encoding="utf-8")
    changed = [line[:9] for line in run(own, "diff", capsys).splitlines() if line[1:4] == "You"]
    assert changed == ["-You are ", "+You are "]
    assert "agent.md (yours)" in run(own, "list", capsys)


def test_a_prompt_that_lost_a_block_is_named(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SHIPPED.text("extract").replace("{{manifest}}", "(removed)")
    (own / "extract.md").write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=r"extract\.md: .*\{\{manifest\}\}"):
        run(own, "diff", capsys)
    assert "-{{manifest}}" in capsys.readouterr().out
