"""``lab --wheels`` installs from a folder and asks no index."""

from pathlib import Path

import pytest

from memlab.cli.setup.installer import diagnose
from tests.unit.cli.setup.scratch import Scratch


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    folder = tmp_path / "a stick"
    folder.mkdir()
    return folder


def test_neither_pip_nor_uv_asks_an_index(scratch: Scratch, wheels: Path) -> None:
    said = scratch.run("lab", "--prepare", "--wheels", "a stick", cwd=wheels.parent)
    assert said.status == 0, said.err
    assert scratch.called == ["venv", "pip course"]
    assert f"--isolated --no-index --find-links {wheels}" in scratch.log.read_text("utf-8")

    scratch.give_uv()
    scratch.stamp.unlink()
    assert scratch.run("lab", "--prepare", "--wheels", str(wheels)).status == 0
    assert f"--offline --no-index --find-links {wheels}" in scratch.log.read_text("utf-8")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("ERROR: No matching distribution found for six==1", "has no wheel of six==1 that this"),
        ("cause: Because nbval was not found in the provided package", "has no wheel of nbval"),
        ("cause: Because nbval==1 has an invalid package format", "(nbval==1) is damaged, or"),
        ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "is damaged, or"),
    ],
)
def test_an_incomplete_or_damaged_folder_is_named(wheels: Path, output: str, expected: str) -> None:
    said = str(diagnose(output, wheels=wheels))
    assert f"{wheels}" in said
    assert expected in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["lab", "--wheels", "nowhere"], "nowhere is not a folder"),
        (["lab", "--wheels", ".", "--here"], "not allowed with argument"),
        (["test", "--wheels", ".", "--all"], "Leave one of the two out"),
    ],
)
def test_what_does_not_go_with_it_is_refused(
    scratch: Scratch, options: list[str], expected: str
) -> None:
    said = scratch.run(*options)
    assert said.status != 0
    assert expected in said.err
    assert scratch.called == []
