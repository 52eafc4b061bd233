"""The learner's copies: made, replaced while unchanged, kept once changed, reset when asked."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.cli.setup.scratch import Said, Scratch, write_notebook

NAME = "03_scan.ipynb"


class Learner:
    """Somebody who has a clone and types commands in it."""

    def __init__(self, scratch: Scratch, command: Callable[..., Said]) -> None:
        self.root, self.deliver, self.run = scratch.root, scratch.deliver, command
        self.copy = self.root / "my" / NAME

    def lab(self) -> str:
        return self.run("lab", "--prepare", "--here").out

    def write(self, source: str) -> None:
        """Change the copy's first cell and run it, as JupyterLab saves it."""
        content = json.loads(self.copy.read_text("utf-8"))
        content["cells"][0] |= {"source": source, "outputs": [{"text": "4"}]}
        self.copy.write_text(json.dumps(content), "utf-8")

    def kept(self) -> list[str]:
        return [path.name for path in sorted((self.root / "my" / ".replaced").glob("*"))]


@pytest.fixture
def ready(scratch: Scratch, command: Callable[..., Said]) -> Learner:
    """A learner whose copies were made."""
    learner = Learner(scratch, command)
    assert "notebooks copied to my/: 2" in learner.lab()
    return learner


def test_a_copy_has_no_outputs_and_stays_until_it_is_gone(ready: Learner) -> None:
    ready.copy.unlink()
    write_notebook(ready.root / "notebooks" / NAME, "2 + 2", outputs=True)
    ready.lab()
    (cell,) = json.loads(ready.copy.read_text("utf-8"))["cells"]
    assert (cell["source"], cell["outputs"], cell["execution_count"]) == (["2 + 2"], [], None)

    ready.write("my answer")
    assert "notebooks" not in ready.lab()
    assert "my answer" in ready.copy.read_text("utf-8")


def test_a_copy_without_changes_is_replaced_by_a_newer_version(ready: Learner) -> None:
    ready.write("2 + 2")
    ready.deliver(NAME, "2 + 3")
    assert "replaced by newer versions: 1" in ready.lab()
    assert "2 + 3" in ready.copy.read_text("utf-8")
    assert ready.kept() == ["03_scan.1.ipynb"]


def test_a_page_with_somebodys_notes_is_set_aside_when_it_is_renewed(ready: Learner) -> None:
    (ready.root / "notebooks" / "stuck.md").write_text("Read this.\n", "utf-8")
    ready.lab()
    page = ready.root / "my" / "stuck.md"
    page.write_text("my notes", "utf-8")
    ready.lab()
    assert page.read_text("utf-8") == "Read this.\n"
    assert ready.kept() == ["stuck.1.md"]


@pytest.mark.parametrize("broken", ["{half a noteboo", "[]", '{"cells": []}'])
def test_a_changed_copy_is_kept_and_the_way_to_the_newer_one_is_said(
    ready: Learner, broken: str
) -> None:
    ready.write("my answer")
    ready.deliver(NAME, "2 + 3")
    for _ in range(2):  # it is said until it is done
        assert "newer version of 03; yours is kept" in ready.lab()
        assert "my answer" in ready.copy.read_text("utf-8")
    ready.copy.write_text(broken, "utf-8")
    assert "newer version of 03; yours is kept" in ready.lab()
    assert ready.copy.read_text("utf-8") == broken


def test_reset_gives_a_fresh_copy_and_keeps_every_old_one(ready: Learner) -> None:
    for answer in ("first", "second"):
        ready.write(answer)
        said = ready.run("reset", "3")
        assert said.status == 0
        assert "my/03_scan.ipynb is a fresh copy; yours is now my/.replaced/03_scan." in said.out
    assert "2 + 2" in ready.copy.read_text("utf-8")
    assert ready.kept() == ["03_scan.1.ipynb", "03_scan.2.ipynb"]
    kept = ready.root / "my" / ".replaced"
    assert "first" in (kept / "03_scan.1.ipynb").read_text("utf-8")
    assert "second" in (kept / "03_scan.2.ipynb").read_text("utf-8")


def test_reset_of_a_notebook_that_does_not_exist_replaces_nothing(ready: Learner) -> None:
    said = ready.run("reset", "03", "77")
    assert said.status == 1
    assert "there is no notebook 77. The notebooks are: 00, 03" in said.err
    assert ready.kept() == []


def test_pictures_and_pages_are_beside_the_copies(ready: Learner) -> None:
    for name in ("images/map.svg", "stuck.md", "README.md"):
        path = ready.root / "notebooks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("ours", "utf-8")
    ready.lab()
    my = ready.root / "my"
    assert (my / "images" / "map.svg").read_text("utf-8") == "ours"
    assert (my / "stuck.md").read_text("utf-8") == "ours"
    assert not (my / "README.md").exists()


def test_every_notebook_of_the_course_can_be_copied(tmp_path: Path) -> None:
    from memlab.cli.setup.clone import find_clone
    from memlab.copies import fresh_copy, is_changed, is_older

    for notebook in find_clone().notebooks.glob("*.ipynb"):
        copy = tmp_path / notebook.name
        copy.write_text(fresh_copy(notebook), "utf-8")
        assert not is_older(copy, notebook)
        assert not is_changed(copy)
