"""``.venv`` is made, found ready, filled again when its inputs change, and repaired."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.unit.cli.setup.scratch import LOCKS, Scratch


def test_first_run_makes_everything_and_the_second_starts_nothing(scratch: Scratch) -> None:
    first = scratch.run("lab", "--prepare")
    assert first.status == 0
    assert "making .venv" in first.out
    assert "installing the course packages (about " in first.out
    assert scratch.called == ["venv", "pip course"]

    second = scratch.run("lab", "--prepare")
    assert second.status == 0
    assert "making" not in second.out
    assert scratch.called == ["venv", "pip course"]


def test_works_from_another_folder(scratch: Scratch, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert scratch.run("lab", "--prepare", cwd=elsewhere).status == 0
    assert (scratch.root / "my" / "00_start_here.ipynb").exists()
    assert scratch.venv.is_dir()
    assert not any(elsewhere.iterdir())


@pytest.mark.parametrize(
    ("file", "old", "new", "again"),
    [
        ("requirements-dev.lock", "pytest==8.4 ", "pytest==8.5 ", True),
        ("requirements-dev.lock", "flotsam==1.3", "# a comment\nflotsam==1.3", False),
        ("pyproject.toml", "ruff>=0.14", "ruff>=0.15", True),
        ("pyproject.toml", "line-length = 100", "line-length = 99", False),
    ],
)
def test_fills_again_when_what_is_installed_changes(
    scratch: Scratch, file: str, old: str, new: str, again: bool
) -> None:
    scratch.run("lab", "--prepare")
    path = scratch.root / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")

    assert scratch.run("lab", "--prepare").status == 0
    assert scratch.called == ["venv", "pip course", *(["pip course"] if again else [])]


def test_a_package_that_went_missing_is_installed_again(scratch: Scratch) -> None:
    scratch.run("lab", "--prepare")
    (gone,) = scratch.venv.rglob("driftwood-*.dist-info")
    gone.rmdir()

    scratch.run("lab", "--prepare")
    assert scratch.called == ["venv", "pip course", "pip course"]
    assert gone.is_dir()


def test_the_dev_packages_stay_once_they_are_there(scratch: Scratch) -> None:
    scratch.run("test", "--all")
    scratch.run("lab", "--prepare")
    assert scratch.called == ["venv", "pip dev"]
    scratch.lock("dev", *LOCKS["dev"], "jetsam==3")

    scratch.run("lab", "--prepare")
    assert scratch.called == ["venv", "pip dev", "pip dev"]


def test_uv_is_used_where_it_is_on_the_path(scratch: Scratch) -> None:
    scratch.give_uv()
    assert scratch.run("lab", "--prepare").status == 0
    assert scratch.called == ["venv", "uv course"]
    assert scratch.state == "ready"


def test_where_uv_finds_no_index_pip_may(scratch: Scratch) -> None:
    scratch.give_uv()
    said = scratch.run("lab", "--prepare", FAKE_UV_SAYS="error: Failed to fetch: http://x")
    assert said.status == 0
    assert "uv could not reach the package index; trying pip" in said.out
    assert scratch.called == ["venv", "uv course", "pip course"]


def test_a_package_left_out_of_the_lock_is_named(scratch: Scratch) -> None:
    scratch.lock("course", *LOCKS["course"][:-1])
    said = scratch.run("lab", "--prepare")
    assert said.status == 1
    assert (
        "requirements.lock does not contain what pyproject.toml asks for: driftwood>=2,<3"
        in said.err
    )


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("state", "making", "the last set-up was interrupted"),
        ("state", "installing", "the last set-up was interrupted"),
        ("clone", "/somewhere/else", "the clone has moved"),
    ],
)
def test_what_the_stamp_tells_leads_to_a_new_environment(
    scratch: Scratch, field: str, value: str, reason: str
) -> None:
    scratch.run("lab", "--prepare")
    leftover = scratch.venv / "leftover"
    leftover.touch()
    fields = json.loads(scratch.stamp.read_text("utf-8")) | {field: value}
    scratch.stamp.write_text(json.dumps(fields), "utf-8")

    said = scratch.run("lab", "--prepare")
    assert said.status == 0
    assert f"making .venv again: {reason}" in said.out
    assert not leftover.exists()
    assert scratch.state == "ready"


def test_an_interpreter_that_went_missing_leads_to_a_new_environment(scratch: Scratch) -> None:
    scratch.run("lab", "--prepare")
    shutil.rmtree(scratch.venv / ("Scripts" if sys.platform == "win32" else "bin"))
    assert "making .venv again: its Python does not run" in scratch.run("lab", "--prepare").out
    assert scratch.state == "ready"


def test_a_base_python_that_went_missing_leads_to_a_check(scratch: Scratch) -> None:
    scratch.run("lab", "--prepare")
    settings = scratch.venv / "pyvenv.cfg"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("executable = ", "executable = /gone"), "utf-8")
    scratch.run("lab", "--prepare")
    assert scratch.called == ["venv", "pip course", "pip course"]


def test_an_environment_made_by_hand_is_filled_not_remade(scratch: Scratch) -> None:
    scratch.run("lab", "--prepare")
    scratch.stamp.unlink()
    mine = scratch.venv / "mine"
    mine.touch()

    said = scratch.run("lab", "--prepare")
    assert said.status == 0
    assert scratch.called == ["venv", "pip course", "pip course"]
    assert mine.exists()


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_not_an_environment_is_never_touched(scratch: Scratch, kind: str) -> None:
    thesis = scratch.venv / "thesis.txt" if kind == "folder" else scratch.venv
    thesis.parent.mkdir(exist_ok=True)
    thesis.write_text("years of work", "utf-8")

    said = scratch.run("lab", "--prepare")
    assert said.status == 1
    assert "is not a virtual environment. Move it away" in said.err
    assert thesis.read_text("utf-8") == "years of work"


def test_an_empty_folder_is_made_into_an_environment(scratch: Scratch) -> None:
    scratch.venv.mkdir()
    assert scratch.run("lab", "--prepare").status == 0


def test_jupyterlab_in_our_environment_does_not_ask_for_news(scratch: Scratch) -> None:
    scratch.run("lab", "--prepare")
    (settings,) = scratch.venv.rglob("overrides.json")
    assert "fetchNews" in settings.read_text("utf-8")
