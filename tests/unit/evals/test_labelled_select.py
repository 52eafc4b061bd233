from __future__ import annotations

import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from memlab.evals.labelled_select import (
    LabelError,
    SelectSet,
    lint_select_set,
    load_select_set,
)
from memlab.evals.select_rules import HALVES, LANGUAGES, LEAST_BY_KIND

DATA = Path(__file__).resolve().parents[3] / "data"
FOLDER = DATA / "labelled" / "select"


@pytest.fixture(scope="module")
def whole() -> SelectSet:
    return load_select_set(FOLDER)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Copy the set to where it can be spoilt, with the example it points to."""
    shutil.copytree(DATA / "example" / "memory", tmp_path / "example" / "memory")
    shutil.copy(DATA / "example" / "mtimes.json", tmp_path / "example")
    return Path(shutil.copytree(FOLDER, tmp_path / "labelled" / "select"))


def spoil(folder: Path, file: str, old: str, new: str) -> list[str]:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return lint_select_set(folder)


def test_nothing_is_wrong_with_the_set() -> None:
    assert lint_select_set(FOLDER) == []


def test_a_copy_is_as_right_as_the_set_until_it_is_spoilt(copy: Path) -> None:
    assert lint_select_set(copy) == []
    assert len(spoil(copy, "cases.yaml", "kind: multi", "kind: many")) >= 1


def test_every_kind_stands_in_both_halves_as_often(whole: SelectSet) -> None:
    kinds = {half: Counter(case.kind for case in whole.half(half)) for half in HALVES}
    assert kinds["work"] == kinds["final"]
    assert kinds["work"].keys() == LEAST_BY_KIND.keys()
    assert len(whole.cases) >= 72
    assert {case.language for case in whole.cases} == {None, *LANGUAGES}


def test_every_relevant_file_can_be_chosen(whole: SelectSet) -> None:
    for case in whole.cases:
        files = {header.filename for header in whole.directories[case.directory].headers}
        assert case.relevant <= files, case.id
        assert case.tempting <= files, case.id


def test_headers_come_newest_first_as_from_a_scan(whole: SelectSet) -> None:
    for directory in whole.directories.values():
        for newer, older in pairwise(directory.headers):
            assert newer.mtime >= older.mtime
        assert directory.headers[0].mtime <= directory.now


def test_the_examples_files_are_real_and_have_the_storys_times(whole: SelectSet) -> None:
    directory = whole.directories["tidebook"]
    assert len(directory.headers) == 20
    assert all(header.path.is_file() for header in directory.headers)
    ferry = directory.header("last-ferry-home.md")
    assert ferry is not None
    assert f"{ferry.mtime:%Y-%m-%dT%H:%M:%SZ}" == "2026-03-18T16:19:09Z"


def test_better_descriptions_change_their_lines_and_nothing_else(whole: SelectSet) -> None:
    before = whole.directories[whole.better_directory].headers
    after = whole.better_headers()
    changed = {
        new.filename
        for old, new in zip(before, after, strict=True)
        if old.description != new.description
    }
    assert changed == whole.better.keys()
    assert [old.filename for old in before] == [new.filename for new in after]


def test_a_vague_line_is_wanted_in_both_halves(whole: SelectSet) -> None:
    for half in HALVES:
        wanted = [case for case in whole.half(half) if case.relevant & whole.better.keys()]
        assert len(wanted) >= 5


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("lightbox.yaml", "  type: user", "  type: person", "no type is 'person'"),
        ("lightbox.yaml", "mtime: '2026-01-12T09:31:04Z'", "mtime: 'monday'", "no time: 'monday'"),
        ("galley.yaml", "  description: When the", "  summary: When the", "description, summary"),
        ("galley.yaml", "  name: Front page closes", "  name: 12", "name is 12 and no str"),
        ("cases.yaml", "  half: work\n", "", "missing or unknown: half"),
        ("cases.yaml", "recent_tools: [Read, Edit]", "recent_tools: [7]", "recent_tools must be"),
        ("cases.yaml", "- id: t01", "- id: [", "cannot be read"),
        ("better_descriptions.yaml", "directory: galley", "folder: galley", "directory, folder"),
        ("tidebook.yaml", "mtimes.json", "times.json", "no time for each memory"),
    ],
)
def test_a_file_of_another_form_is_named(
    copy: Path, file: str, old: str, new: str, says: str
) -> None:
    problems = spoil(copy, file, old, new)
    assert len(problems) == 1
    assert says in problems[0]
    with pytest.raises(LabelError):
        load_select_set(copy)


def test_a_missing_file_is_named(copy: Path) -> None:
    (copy / "cases.yaml").unlink()
    assert "cases.yaml" in lint_select_set(copy)[0]
