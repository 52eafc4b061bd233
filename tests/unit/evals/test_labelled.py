"""A file that is not of the form it must have: the error names file, case, key and what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.evals.attacks import load_path_cases, load_shell_cases, load_trees
from memlab.evals.labelled import (
    LabelError,
    contains,
    load_dialogues,
    load_dreams,
    load_poison,
    load_recall_set,
)

DATA = Path(__file__).resolve().parents[3] / "data"


LOADERS: dict[str, tuple[Callable[[Path], object], ...]] = {
    "labelled/select": (load_recall_set,),
    "labelled/extract": (load_dialogues, load_poison),
    "labelled/dream": (load_dreams,),
    "attacks": (load_shell_cases, load_path_cases, load_trees),
}


def load(data: Path, folder: str) -> None:
    for loader in LOADERS[folder]:
        loader(data / folder)


def copy(folder: str, to: Path) -> None:
    """Copy a set to where it can be spoilt, with the example that the set of recall points to."""
    shutil.copytree(DATA / folder, to / folder)
    if folder == "labelled/select":
        shutil.copytree(DATA / "example" / "memory", to / "example" / "memory")
        shutil.copy(DATA / "example" / "mtimes.json", to / "example")


@pytest.mark.parametrize("folder", LOADERS)
def test_a_copy_can_be_read_until_it_is_spoilt(tmp_path: Path, folder: str) -> None:
    copy(folder, tmp_path)
    load(tmp_path, folder)


WISHES = "labelled/extract/dialogues/wishes.yaml"
PROJECT = "labelled/extract/dialogues/project.yaml"
POISON = "labelled/extract/poison.yaml"
MERGING = "labelled/dream/merging.yaml"
SHELL = "attacks/shell.yaml"
RECALL = "labelled/select/"


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        (
            RECALL + "lightbox.yaml",
            "  type: user",
            "  type: person",
            "entries.0.type: Input",
        ),
        (RECALL + "lightbox.yaml", "'2026-01-12T09:31:04Z'", "'monday'", "entries.0.mtime: "),
        (RECALL + "lightbox.yaml", "'2026-01-12T09:31:04Z'", "'2026-01-12T09:31:04+02:00'", "UTC"),
        (RECALL + "lightbox.yaml", "file: ines-was", "file: MEMORY.md/ines-was", "a memory file"),
        (RECALL + "lightbox.yaml", "name: Ines was a radiographer", "name: ' '", "0.name: must"),
        (RECALL + "lightbox.yaml", "documents: mcp__", "documents: mcp_", "should match pattern"),
        (RECALL + "galley.yaml", "  description: When the", "  summary: When the", "summary: this"),
        (
            RECALL + "galley.yaml",
            "  description: When the",
            "  description: |\n   a\n   b",
            "one line",
        ),
        (RECALL + "galley.yaml", "  name: Front page closes", "  name: 12", "string, not 12"),
        (
            RECALL + "cases.yaml",
            "  half: work\n",
            "",
            "case t01: half: this key",
        ),
        (
            RECALL + "cases.yaml",
            "half: work",
            "half: both",
            "'work' or 'final', not 'both'",
        ),
        (RECALL + "cases.yaml", "kind: paraphrase", "kind: parable", "not 'parable'"),
        (RECALL + "cases.yaml", "not asked.", "not asked", "reason: must be a sentence"),
        (
            RECALL + "cases.yaml",
            "recent_tools: [Read, Edit]",
            "recent_tools: [7]",
            "tools.0",
        ),
        (RECALL + "cases.yaml", "relevant: [", "relevant: [a, b, c, d, e, f, ", "at most 5"),
        (RECALL + "cases.yaml", "- id: t01", "- id: [", "cases.yaml: cannot be"),
        (
            RECALL + "better_descriptions.yaml",
            "directory: galley",
            "folder: galley",
            "folder: ",
        ),
        (RECALL + "tidebook.yaml", "mtimes.json", "times.json", "no time for each memory"),
        (
            RECALL + "tidebook.yaml",
            "memory: ",
            "entries: []\nwhere: ",
            "where: this key is",
        ),
        (RECALL + "tidebook.yaml", "mtimes: ../../example/mtimes.json", "", "memory and mtimes"),
        (
            WISHES,
            "  half: work\n",
            "  half: work\n  mood: good\n",
            "mood: this key is unknown",
        ),
        (WISHES, "at: '2026-01-14T10:22:00Z'", "at: 'noon'", "preference-1: at: "),
        (WISHES, "- id: preference-1", "- id: [", "cannot be read"),
        (
            WISHES,
            "says: ['80', ",
            "says: [80, ",
            "must.0.says.0: Input should be a",
        ),
        (WISHES, "says: ['80'", "says: ['80 | '", "nor have an empty alternative"),
        (WISHES, "must_not: []", "must_not: none", "must_not: Input should be a valid tuple"),
        (WISHES, "  - type: user", "  - date: '2026-01-20'\n      type: user", "to be counted"),
        (WISHES, "- type: user", "- type: person", "must.0.type: Input should be 'user'"),
        (WISHES, "about the person.", "about the person", "reason: must be a sentence"),
        (WISHES, "name: Edit", "name: Editor", "should be 'Bash', 'Edit', 'Glob', 'Grep'"),
        (WISHES, "role: agent", "role: person", "must take turns"),
        (WISHES, "role: agent", "role: robot", "'person', 'agent' or 'tool', not 'robot'"),
        (WISHES, "role: agent", "role: tool", "a tool's turn, and no other, has a tool"),
        (PROJECT, "at: '2026-05-12T23:52:00Z'", "at: '2026-05-14T00:01:00Z'", "older than the one"),
        (POISON, "where: tool result", "where: dream", "where: Input should be 'tool result'"),
        (POISON, "trick: remember-that", "trick: charm", "not 'charm'"),
        (
            POISON,
            "  must_not:\n    - '#ops-quiet'",
            "  must_not: []",
            "a text that may not",
        ),
        (POISON, "- '#ops-quiet'", "- 7", "must_not.0.says.0: Input should be a valid string"),
        (MERGING, "kind: session", "kind: other", "session-1: kind: Input should be 'duplicates'"),
        (MERGING, "now: '2026-05-04T08:00:00Z'", "now: May", "duplicates-1: now: "),
        (MERGING, "now: '2026-05-04T08:00:00Z'", "now: 20260504", "now: must be written as 2026"),
        (
            PROJECT,
            "date: '2026-05-11'",
            "date: 86400",
            "must.0.date: must be written as 2026-03-30",
        ),
        (MERGING, "half: work", "halb: work", "half: this key is missing; halb: this key is unkn"),
        (MERGING, "says: [Error messages]", "says: Error", "says: Input should be a valid tuple"),
        (MERGING, "- id: duplicates-1", "id: duplicates-1", "cannot be read"),
        ("labelled/dream/order.yaml", "unchanged: true", "unchanged: 1", "a valid boolean, not 1"),
        (
            SHELL,
            "  allow: true",
            "  allow: 'yes'",
            "allow: Input should be",
        ),
        (SHELL, "id: reading-list\n", "id: list\n", "must begin with the family, reading-"),
        (SHELL, "confined: true", "proof: effect", "a command to allow needs confined"),
        (
            SHELL,
            "confined: true",
            "confined: true\n  limit: patience",
            "'time', 'output' or",
        ),
        (SHELL, "proof: unbounded", "confined: true", "a command to refuse needs a proof"),
        (SHELL, "proof: unbounded", "proof: guess", "should be '', 'effect', 'unparsable'"),
        (SHELL, "proof: unbounded", "proof: unbounded\n  trace: x", "twin and trace go with"),
        (SHELL, "proof: expansion", "proof: effect", "becomes goes with an expansion"),
        ("attacks/paths.yaml", "allow: false", "allow: true", "a path to allow has no proof"),
        ("attacks/paths.yaml", "allow: true", "allow: false", "a path to refuse needs a proof"),
        (
            "attacks/trees.yaml",
            "  directories:",
            "  places:",
            "shell.directories: this key",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, file: str, old: str, new: str, says: str) -> None:
    [folder] = [folder for folder in LOADERS if file.startswith(folder)]
    copy(folder, tmp_path)
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert old in text
    (tmp_path / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(LabelError) as caught:
        load(tmp_path, folder)
    message = str(caught.value)
    assert says in message
    assert Path(file).name in message or "mtimes.json" in old
    assert message.endswith("Keep to the form in the folder's README.md.")


@pytest.mark.parametrize(
    ("content", "says"),
    [("name: x", "not a list of cases"), ("- x", "case 1: Input should be a valid dictionary")],
)
def test_what_is_no_list_of_cases_is_named(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "shell.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(LabelError, match=says):
        load_shell_cases(tmp_path)


@pytest.mark.parametrize(
    ("loader", "says"),
    [
        (load_recall_set, "cases.yaml: cannot be"),
        (load_dialogues, "dialogues: no cases"),
        (load_poison, "poison.yaml: cannot be read"),
        (load_dreams, "no cases"),
        (load_trees, "trees.yaml: cannot be read"),
    ],
)
def test_a_missing_file_is_named(
    tmp_path: Path, loader: Callable[[Path], object], says: str
) -> None:
    with pytest.raises(LabelError, match=says):
        loader(tmp_path)


@pytest.mark.parametrize("folder", [name for name in LOADERS if name.startswith("labelled/")])
def test_without_the_clone_the_labelled_sets_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setattr("memlab.evals.labelled.LABELLED", tmp_path / "labelled")
    for loader in LOADERS[folder]:
        with pytest.raises(LabelError, match=r"data/labelled: .*Clone the course's repository"):
            loader(tmp_path / folder)


def test_a_phrase_is_found_in_any_case_width_and_form_of_accents() -> None:
    assert contains("TABS,\n  EVERYWHERE", "tabs, everywhere")
    assert contains("Ole wants spaces", "tabs | SPACES")
    assert contains("cafe\u0301", "caf\u00e9")
    assert not contains("tab", "tabs | spaces")
