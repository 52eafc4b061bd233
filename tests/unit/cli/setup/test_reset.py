"""The learner's copies: made, renewed while untouched, kept once changed, reset when asked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.setup.scratch import Said, Scratch, write_notebook

NAME = "03_scan.ipynb"


class Learner:
    """Somebody who has a clone and types commands in it."""

    def __init__(self, scratch: Scratch, command: Callable[..., Said]) -> None:
        self.root, self.deliver, self.run = scratch.root, scratch.deliver, command


@pytest.fixture
def ready(scratch: Scratch, command: Callable[..., Said]) -> Learner:
    """A learner whose copies were made."""
    learner = Learner(scratch, command)
    assert "new files copied to my/: 2" in lab(learner).out
    return learner


def lab(learner: Learner) -> Said:
    return learner.run("lab", "--prepare", "--here")


def mine(learner: Learner) -> Path:
    return learner.root / "my" / NAME


def aside(learner: Learner) -> list[str]:
    folder = learner.root / "my" / ".replaced"
    return sorted(path.name for path in folder.glob("*"))


def cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text("utf-8"))["cells"]


def test_copies_have_no_outputs_and_are_left_alone_until_they_are_gone(ready: Learner) -> None:
    record = json.loads((ready.root / "my" / ".delivered.json").read_text("utf-8"))
    assert set(record) == {"00_start_here.ipynb", NAME}
    write_notebook(ready.root / "notebooks" / NAME, "1 + 1", outputs=True)
    lab(ready)
    assert cells(ready.root / "notebooks" / NAME)[0]["outputs"]
    assert [(c["outputs"], c["execution_count"]) for c in cells(mine(ready))] == [([], None)]
    assert "".join(cells(mine(ready))[0]["source"]) == "1 + 1"
    assert "my/:" not in lab(ready).out
    write_notebook(mine(ready), "my answer")
    text = mine(ready).read_bytes()
    assert "newer" not in lab(ready).out
    assert mine(ready).read_bytes() == text
    mine(ready).unlink()
    assert "new files copied to my/: 1" in lab(ready).out


def test_an_untouched_copy_is_renewed(ready: Learner) -> None:
    ready.deliver(NAME, "2 + 3")
    assert "had not changed them: 1" in lab(ready).out
    assert "2 + 3" in mine(ready).read_text("utf-8")
    assert aside(ready) == []


def test_a_copy_that_was_only_run_is_renewed_and_kept_aside(ready: Learner) -> None:
    write_notebook(mine(ready), "2 + 2", outputs=True)
    ready.deliver(NAME, "2 + 3")
    assert "had not changed them: 1" in lab(ready).out
    assert "2 + 3" in mine(ready).read_text("utf-8")
    assert aside(ready) == ["03_scan.1.ipynb"]


def test_when_both_changed_the_learners_is_kept_and_the_way_is_told(ready: Learner) -> None:
    write_notebook(mine(ready), "my answer")
    ready.deliver(NAME, "2 + 3")
    for _ in range(2):  # it is said until it is done
        said = lab(ready)
        assert "there is a newer version of 03; yours is kept" in said.out
        assert "-m memlab reset 03" in said.out
        assert "my answer" in mine(ready).read_text("utf-8")

    assert ready.run("reset", "03", "--yes").status == 0
    assert "2 + 3" in mine(ready).read_text("utf-8")
    assert "newer" not in lab(ready).out


def test_a_copy_of_a_notebook_that_got_another_number_stays_until_the_learner_removes_it(
    ready: Learner,
) -> None:
    write_notebook(mine(ready), "my answer")
    (ready.root / "notebooks" / NAME).rename(ready.root / "notebooks" / "04_scan.ipynb")
    for _ in range(2):  # it is said until it is done
        said = lab(ready).out
        assert "no longer part of the course: 03_scan.ipynb (now 04_scan.ipynb)" in said
        assert "my answer" in mine(ready).read_text("utf-8")
    assert "2 + 2" in mine(ready).with_name("04_scan.ipynb").read_text("utf-8")
    mine(ready).unlink()
    assert "no longer" not in lab(ready).out


def test_a_learners_own_notebook_is_not_mistaken_for_a_copy(ready: Learner) -> None:
    own = write_notebook(ready.root / "my" / "04_recall.ipynb", "mine")
    ready.deliver("04_recall.ipynb", "theirs")
    assert "there is a newer version of 04" in lab(ready).out
    assert "mine" in own.read_text("utf-8")


@pytest.mark.parametrize("broken", [".delivered.json", NAME])
def test_what_cannot_be_read_costs_no_work(ready: Learner, broken: str) -> None:
    write_notebook(mine(ready), "my answer")
    ready.deliver(NAME, "2 + 3")
    (ready.root / "my" / broken).write_text("{half a notebo", "utf-8")
    text = mine(ready).read_text("utf-8")
    assert "there is a newer version of 03" in lab(ready).out
    assert mine(ready).read_text("utf-8") == text


def test_pictures_are_hidden_and_found_by_the_copies(
    ready: Learner, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebooks = ready.root / "notebooks"
    for name in ("images/map.svg", ".ipynb_checkpoints/x.ipynb", "README.md"):
        (notebooks / name).parent.mkdir(exist_ok=True)
        (notebooks / name).write_text("<svg/>", "utf-8")
    cell = {"cell_type": "markdown", "metadata": {}, "source": ["![a map](images/map.svg)"]}
    notebook = {"cells": [cell], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    (notebooks / NAME).write_text(json.dumps(notebook), "utf-8")
    lab(ready)
    assert cells(mine(ready))[0]["source"] == ["![a map](.images/map.svg)"]
    my = ready.root / "my"
    assert (my / ".images" / "map.svg").read_text("utf-8") == "<svg/>"
    seen = [path.name for path in my.iterdir() if path.name[0] != "."]
    assert sorted(seen) == ["00_start_here.ipynb", NAME, "README.md"]
    monkeypatch.setenv("JUPYTERHUB_SERVICE_PREFIX", "/user/robin/")
    lab(ready)
    assert cells(mine(ready))[0]["source"] == ["![a map](images/map.svg)"]
    assert (my / "images" / "map.svg").exists(), "a hub's server shows no hidden folder"


def test_a_page_that_a_notebook_links_to_is_beside_it_and_a_changed_one_is_kept_aside(
    ready: Learner,
) -> None:
    notebooks, my = ready.root / "notebooks", ready.root / "my"
    write_notebook(notebooks / NAME, "[Stuck?](stuck.md#where), [an example](a.md), README.md")
    (notebooks / "stuck.md").write_text("first", "utf-8")
    lab(ready)
    assert (my / "stuck.md").read_text("utf-8") == "first"
    (my / "stuck.md").write_text("my note", "utf-8")
    lab(ready)
    assert (my / "stuck.md").read_text("utf-8") == "first"
    assert aside(ready) == ["stuck.1.md"]
    assert not (my / "a.md").exists()


def test_no_link_of_such_a_page_to_another_one_is_dead(ready: Learner) -> None:
    notebooks, my = ready.root / "notebooks", ready.root / "my"
    write_notebook(notebooks / NAME, "[your own](own.md)")
    (notebooks / "own.md").write_text("[privacy](privacy.md)", "utf-8")
    (notebooks / "privacy.md").write_text("[back](own.md#there)", "utf-8")
    lab(ready)
    assert (my / "privacy.md").read_text("utf-8") == "[back](own.md#there)"


def test_the_page_of_my_links_to_the_notebooks_and_says_which_were_opened(ready: Learner) -> None:
    page = ready.root / "my" / "README.md"
    assert f"| [03 scan]({NAME}) | new |" in page.read_text("utf-8")
    assert "Shift+Enter" in page.read_text("utf-8")
    write_notebook(mine(ready), "1 + 1", outputs=True)
    (ready.root / "my" / ".progress.json").write_text('{"03": [2, 4]}', "utf-8")
    lab(ready)
    assert f"| [03 scan]({NAME}) | opened | 2 of 4 |" in page.read_text("utf-8")
    page.write_text("my own notes", "utf-8")
    lab(ready)
    assert page.read_text("utf-8") == "my own notes"


def test_the_working_folders_of_an_earlier_version_are_hidden_and_not_lost(ready: Learner) -> None:
    note = ready.root / "my" / "home" / "03" / "note.txt"
    note.parent.mkdir(parents=True)
    note.write_text("mine", "utf-8")
    assert "my/.home" not in lab(ready).out, "not a folder of memlab's"
    (ready.root / "my" / "home" / ".locks").mkdir()
    assert "the notebooks' working folders are now in my/.home" in lab(ready).out
    assert (ready.root / "my" / ".home" / "03" / "note.txt").read_text("utf-8") == "mine"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("n\n", "replace my/03_scan.ipynb? Your version will be moved to my/.replaced/"),
        ("", "add --yes if you are sure"),
    ],
)
def test_without_a_yes_reset_changes_nothing(
    ready: Learner, scratch: Scratch, typed: str, said: str
) -> None:
    write_notebook(mine(ready), "my answer")
    ended = ready.run("reset", "03", typed=typed)
    assert said in ended.out + ended.err
    assert ended.status == 1
    assert "my answer" in mine(ready).read_text("utf-8")
    assert scratch.called == []


def test_reset_with_a_yes_keeps_every_old_version(ready: Learner) -> None:
    for answer in ("first", "second"):
        write_notebook(mine(ready), answer)
        assert ready.run("reset", "3", typed="y\n").status == 0
    assert "2 + 2" in mine(ready).read_text("utf-8")
    kept = ready.root / "my" / ".replaced"
    assert aside(ready) == ["03_scan.1.ipynb", "03_scan.2.ipynb"]
    assert "first" in (kept / "03_scan.1.ipynb").read_text("utf-8")
    assert "second" in (kept / "03_scan.2.ipynb").read_text("utf-8")


def test_reset_of_what_was_not_changed_needs_no_answer(ready: Learner) -> None:
    said = ready.run("reset", "--all")
    assert said.status == 0
    assert said.out.count("was unchanged") == 2


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["reset"], "name a notebook"),
        (["reset", "77"], "there is no notebook 77. The notebooks are: 00, 03"),
    ],
)
def test_reset_says_what_it_needs(ready: Learner, args: list[str], expected: str) -> None:
    said = ready.run(*args)
    assert said.status == 1
    assert expected in said.err


def deliver_with_a_short_path(learner: Learner, answer: str) -> None:
    core = {"metadata": {"tags": ["core"]}}
    links = "# Scan\n\n![map](images/map.svg) · [Stuck?](stuck.md) · [00](00_start_here.ipynb)"
    notebook = {
        "cells": [
            {"cell_type": "markdown", "source": links, **core},
            {"cell_type": "code", "source": "left out", "outputs": [], "metadata": {}},
            {"cell_type": "code", "source": answer, "outputs": [{"text": "5"}], **core},
        ],
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path = learner.root / "notebooks" / NAME
    path.write_text(json.dumps(notebook), "utf-8")
    path.with_name("stuck.md").write_text("Ask.", "utf-8")


def test_the_copies_of_the_short_path_are_beside_the_others_and_treated_alike(
    ready: Learner,
) -> None:
    deliver_with_a_short_path(ready, "2 + 3")
    write_notebook(mine(ready), "my answer")
    whole = mine(ready).read_bytes()
    core = ready.root / "my" / "core" / NAME
    ready.run("lab", "--prepare", "--here", "--core")
    text, code = cells(core)
    assert "This copy has only the short path" in "".join(text["source"])
    for link in ("(../.images/map.svg)", "(../stuck.md)", "(00_start_here.ipynb)", f"(../{NAME})"):
        assert link in "".join(text["source"])
    assert (code["source"], code["outputs"]) == ("2 + 3", [])

    lab(ready)
    write_notebook(core, "my short answer")
    deliver_with_a_short_path(ready, "2 + 4")
    said = ready.run("lab", "--prepare", "--here", "--core").out
    assert "there is a newer version of 03; yours is kept" in said
    assert "no longer part" not in said
    assert mine(ready).read_bytes() == whole
    assert "my short answer" in core.read_text("utf-8")

    assert ready.run("reset", "03", "--yes").status == 0
    assert "2 + 4" in core.read_text("utf-8")
    kept = sorted((ready.root / "my" / ".replaced").rglob("*.ipynb"))
    assert [path.relative_to(ready.root / "my" / ".replaced").as_posix() for path in kept] == [
        "03_scan.1.ipynb",
        "core/03_scan.1.ipynb",
    ]
