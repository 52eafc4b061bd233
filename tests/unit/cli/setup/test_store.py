"""``store``: what it says without arguments, and which notebooks it runs."""

from __future__ import annotations

import pytest

from memlab.cli.store import RECORD, add_to_record, notebooks
from tests.unit.cli.setup.scratch import Scratch


@pytest.fixture
def stored(scratch: Scratch) -> Scratch:
    """A clone whose two notebooks are stored; one of them read a file that has changed since."""
    runner = scratch.root / "tests" / "notebooks" / "store.py"
    runner.parent.mkdir(parents=True)
    runner.write_text("import sys; print('storing', sys.argv[1:])", "utf-8")
    (scratch.root / "data").mkdir()
    (scratch.root / "data" / "a.txt").write_text("a", "utf-8")
    first, second = notebooks(scratch.root)
    add_to_record(scratch.root, first, [])
    add_to_record(scratch.root, second, ["data/a.txt"])
    (scratch.root / "data" / "a.txt").write_text("b", "utf-8")
    return scratch


def test_without_arguments_it_says_what_it_would_do_and_does_nothing(stored: Scratch) -> None:
    before = (stored.root / RECORD).read_bytes()
    said = stored.run("store")
    assert said.status == 0
    lines = said.out.splitlines()
    assert lines[0] == "  03_scan: data/a.txt changed"
    assert lines[1] == "memlab: 1 of 2 notebooks are up to date"
    assert lines[2].endswith(" store --changed")
    assert stored.called == []  # no environment is made and nothing is installed
    assert not stored.venv.exists()
    assert (stored.root / RECORD).read_bytes() == before


def test_changed_takes_only_what_is_out_of_date(stored: Scratch) -> None:
    assert "storing ['03']" in stored.run("store", "--changed", "--here").out
    (stored.root / "data" / "a.txt").write_text("a", "utf-8")
    said = stored.run("store", "--changed")
    assert said.out == "memlab: 2 of 2 notebooks are up to date\n"
    assert said.status == 0
    assert stored.called == []


def test_numbers_and_all_are_passed_on(stored: Scratch) -> None:
    assert "storing ['00', '03']" in stored.run("store", "0", "03", "--here").out
    assert "storing []" in stored.run("store", "--all", "--here").out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["07"], "there is no notebook 07. The notebooks are: 00, 03"),
        (["03", "--all"], "choose one of these"),
        (["--changed", "--all"], "choose one of these"),
    ],
)
def test_a_wrong_choice_is_refused_before_anything_is_installed(
    stored: Scratch, arguments: list[str], complaint: str
) -> None:
    said = stored.run("store", *arguments)
    assert complaint in said.err
    assert said.status == 1
    assert stored.called == []
