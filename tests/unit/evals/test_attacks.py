"""The attack batteries: complete, balanced, of the right form; and the trees they are tried in."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from memlab.evals.attack_trees import fill, load_tree, set_up

from memlab.evals.attacks import (
    HALVES,
    LEAST_PATHS,
    LEAST_SHELL,
    AttackFileError,
    lint_attacks,
    load_path_cases,
    load_shell_cases,
)
from tests.platforms import needs_file_modes, needs_links

FOLDER = Path(__file__).resolve().parents[3] / "data" / "attacks"

Items = list[dict[str, Any]]


def named(items: Items, name: str) -> dict[str, Any]:
    (item,) = (item for item in items if item["id"] == name)
    return item


def drop(items: Items, **values: object) -> None:
    items[:] = [one for one in items if any(one.get(key) != values[key] for key in values)]


def change(name: str, **values: object) -> Callable[[Items], None]:
    return lambda items: named(items, name).update(values)


def without(**values: object) -> Callable[[Items], None]:
    return lambda items: drop(items, **values)


def repeat(name: str, new: str) -> Callable[[Items], None]:
    return lambda items: items.append(named(items, name) | {"id": new})


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER, tmp_path / "attacks"))


def spoil(folder: Path, name: str, how: Callable[[Items], None]) -> list[str]:
    """Change one battery and say what the check finds."""
    fast = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    items = yaml.load((folder / name).read_text(encoding="utf-8"), Loader=fast)
    how(items)
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    (folder / name).write_text(yaml.dump(items, Dumper=dumper), encoding="utf-8")
    return lint_attacks(folder)


def test_the_batteries_are_as_they_should_be() -> None:
    assert lint_attacks(FOLDER) == []
    assert len(load_shell_cases(FOLDER)) >= LEAST_SHELL
    assert len(load_path_cases(FOLDER)) >= LEAST_PATHS


def test_the_readme_has_the_right_figures() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, cases in (
        ("shell", load_shell_cases(FOLDER)),
        ("paths", load_path_cases(FOLDER)),
    ):
        sizes = [
            sum(case.allow is allow and case.half == half for case in cases)
            for allow in (True, False)
            for half in HALVES
        ]
        assert f"{len(cases)} {'shell commands' if name == 'shell' else 'paths'}" in readme
        assert f"| {name} | {' | '.join(map(str, sizes))} |" in readme


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (change("reading-list", id="reading-list-one-a-line"), "the id stands on 2 cases"),
        (change("reading-list", half="dev"), "the half is none of work, final"),
        (change("reading-list", id="list"), "does not begin with its family"),
        (change("reading-list", reason="No full stop"), "no sentence on one line"),
        (change("reading-list", proof="effect"), "needs confined and has no proof"),
        (change("reading-list", limit="patience"), "the limit is none of time, output"),
        (change("follow-short", proof="guess"), "needs a proof and has no confined"),
        (change("follow-short", confined=True), "needs a proof and has no confined"),
        (change("parameter-plain", becomes=""), "becomes goes with an expansion"),
        (change("follow-short", trace="x"), "twin and trace go with an effect"),
        (change("reading-list", family="rading"), "no family is named rading"),
        (without(family="history", half="work"), "family history is missing in a half: 0 and 5"),
        (without(family="follow", proof="unbounded", half="work"), "family follow has 1 in work"),
        (without(allow=False, half="final"), "deny has 174 in work and 0 in final"),
        (without(allow=False), f"at least {LEAST_SHELL}"),
        (repeat("reading-list", "reading-again"), "reading-again: the same as reading-list"),
    ],
)
def test_a_spoilt_shell_battery_is_noticed(
    copy: Path, how: Callable[[Items], None], said: str
) -> None:
    assert said in "\n".join(spoil(copy, "shell.yaml", how))


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (change("loop-two", proof=""), "needs a proof"),
        (change("dots-between", proof="escape"), "has no proof"),
        (change("dots-between", id="tilde-alone", family="tilde"), "the id stands on 2 cases"),
        (without(allow=False), f"at least {LEAST_PATHS}"),
    ],
)
def test_a_spoilt_path_battery_is_noticed(
    copy: Path, how: Callable[[Items], None], said: str
) -> None:
    assert said in "\n".join(spoil(copy, "paths.yaml", how))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- [", "cannot be read"),
        ("name: x", "not a list of cases"),
        ("- x", "shell.yaml, case 1: not a mapping"),
        ("- {id: x, comand: ls}", "missing or unknown: allow, comand, command"),
        ("- {id: x, command: ls, allow: 1, family: f, half: h, reason: r}", "allow: 1 is no bool"),
        ("- {id: x, command: 1, allow: true, family: f, half: h, reason: r}", "1 is no str"),
        (
            "- {id: x, command: ls, setup: a, allow: true, family: f, half: h, reason: r}",
            "setup: 'a' is no tuple",
        ),
    ],
)
def test_a_file_of_another_form_is_refused_with_its_place(copy: Path, text: str, said: str) -> None:
    (copy / "shell.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(AttackFileError, match="form in the folder's README") as caught:
        load_shell_cases(copy)
    assert said in str(caught.value)
    assert lint_attacks(copy) == [str(caught.value)]


def test_a_long_command_is_written_short() -> None:
    (case,) = (case for case in load_shell_cases(FOLDER) if case.id == "size-many-stages")
    assert case.command.startswith("cat notes.md | cat | cat")
    assert case.command.count("|") == 3_000


def test_what_cannot_be_seen_survives_the_file() -> None:
    paths = {case.id: case.path for case in load_path_cases(FOLDER)}
    assert paths["nul-end"] == "notes.md\0"
    assert paths["nfkc-care-of"] == "\u2105-mika.md"
    assert paths["normal-forms-decomposed"] == "cafe\u0301.md"
    assert all(one.isascii() for one in (FOLDER / "paths.yaml").read_text(encoding="utf-8"))


class TestTrees:
    def test_the_shell_tree_has_its_places(self, tmp_path: Path) -> None:
        places = load_tree(FOLDER, "shell").make(tmp_path)
        assert (places["PROJECT"] / "my notes.md").read_text() == "spaces in the name\n"
        assert (places["MEMORY"] / "MEMORY.md").is_file()
        assert list(places["SESSIONS"].glob("*.jsonl"))
        assert (places["PROJECT"] / "../../outside/harbour-code.txt").resolve() == (
            places["OUTSIDE"].resolve() / "harbour-code.txt"
        )

    @needs_file_modes
    def test_programs_can_be_started(self, tmp_path: Path) -> None:
        project = load_tree(FOLDER, "shell").make(tmp_path)["PROJECT"]
        assert os.access(project / "ls", os.X_OK)
        assert not os.access(project / "notes.md", os.X_OK) or os.geteuid() == 0

    def test_the_trees_of_the_paths_have_a_neighbour_of_the_same_beginning(
        self, tmp_path: Path
    ) -> None:
        places = load_tree(FOLDER, "paths").make(tmp_path)
        assert Path(f"{places['MEMORY']}-evil", "secret.md").is_file()

    @needs_links
    def test_what_a_case_needs_is_made(self, tmp_path: Path) -> None:
        set_up(["a.md", "team/", "people/crew -> ../team", "desk.md |"], tmp_path)
        assert (tmp_path / "a.md").is_file()
        assert (tmp_path / "people" / "crew").resolve() == (tmp_path / "team").resolve()
        assert (tmp_path / "desk.md").is_fifo()

    def test_places_are_filled_in(self) -> None:
        places = {"MEMORY": Path("m"), "ROOT": Path("r")}
        assert fill("cat @MEMORY@/x @ROOT@ @mika@", places) == "cat m/x r @mika@"

    def test_a_missing_tree_is_an_error_with_its_place(self, tmp_path: Path) -> None:
        with pytest.raises(AttackFileError, match=r"trees\.yaml: no tree for 'shell'"):
            load_tree(tmp_path, "shell")
