"""A person's mistakes end the commands of the evaluations with one sentence, and so does Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memlab.evals import many


@pytest.mark.parametrize("option", ["--folder", "--record"])
def test_a_folder_that_is_missing_is_named_before_the_measurement(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(many, "measure", lambda *values: pytest.fail("it was measured"))
    missing = tmp_path / "missing"
    with pytest.raises(SystemExit, match="missing: there is no such folder"):
        many.main([option, str(missing if option == "--folder" else missing / "table.yaml")])


@pytest.mark.parametrize("sizes", [["0"], ["20", "-5"]])
def test_no_memories_cannot_be_measured(
    sizes: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        many.main(["--sizes", *sizes])
    assert "--sizes" in capsys.readouterr().err


def test_ctrl_c_leaves_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*values: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(many, "measure", interrupted)
    with pytest.raises(SystemExit) as ended:
        many.main([])
    assert ended.value.code == 130
    assert capsys.readouterr().err == "stopped\n"
