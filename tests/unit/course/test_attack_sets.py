"""Guards judged by the attack sets, as notebook 07 shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.agent.shell import is_read_only_command
from memlab.course.attack_sets import AttackSets, resolve_memory_path
from memlab.course.gaps.nb07 import COMMAND_OPTIONS, combined
from memlab.course.lab import begin
from memlab.evals.attacks import load_trees
from tests.platforms import needs_posix


@pytest.fixture
def attack_sets() -> AttackSets:
    return AttackSets(begin(7))


def allow_all(command: str) -> bool:
    return True


def refuse_all(command: str) -> bool:
    return False


def test_commands_are_counted_by_what_a_guard_gets_wrong(attack_sets: AttackSets) -> None:
    shown = attack_sets.score_commands(allow_all, refuse_all, is_read_only_command)
    assert shown.headers == (
        "guard",
        "work: wrongly allowed, of 174",
        "work: wrongly refused, of 93",
    )
    assert shown.rows == (
        ("allow_all", "174", "0"),
        ("refuse_all", "0", "93"),
        ("is_read_only_command", "0", "0"),
    )


def test_both_halves_can_be_asked_for(attack_sets: AttackSets) -> None:
    shown = attack_sets.score_commands(allow_all, halves=("work", "final"))
    assert shown.rows == (("allow_all", "174", "0", "173", "0"),)


@needs_posix
def test_paths_are_tried_in_trees_that_are_gone_afterwards(attack_sets: AttackSets) -> None:
    seen: list[bool] = []

    def naive(directory: Path, path: str) -> bool:
        seen.append((directory / "notes.md").is_file())
        return bool(Path(directory, path))

    shown = attack_sets.score_paths(naive, resolve_memory_path)
    assert shown.rows == (("naive", "130", "0"), ("resolve_memory_path", "0", "0"))
    assert len(seen) == 181
    assert all(seen)
    left = [path for path in begin(7).home.iterdir() if (path / "memory" / "notes.md").exists()]
    assert load_trees().paths.files
    assert left == []


@needs_posix
def test_a_refusal_is_given_with_its_reason_and_an_exception_by_its_name(
    attack_sets: AttackSets,
) -> None:
    def fails(directory: Path, path: str) -> bool:
        raise ValueError(path)

    cases = {case.id: case for case in attack_sets.paths}
    link, index = cases["symlink-folder"], cases["ordinary-index"]
    assert attack_sets.refusal(fails, link) == "ValueError"
    assert "it leads through a link" in attack_sets.refusal(resolve_memory_path, link)
    assert attack_sets.refusal(resolve_memory_path, index) == ""


def test_the_learners_verdict_can_refuse_more_and_never_allow_more() -> None:
    asked: list[str] = []

    def strict(command: str, options: object) -> bool:
        asked.append(command)
        assert options is COMMAND_OPTIONS
        return command == "ls"

    judge = combined(strict, is_read_only_command)
    assert judge("ls").allowed
    assert judge("cat a.md").reason == "Your own verdict refuses it"
    assert not combined(lambda command, options: True, is_read_only_command)("rm a.md").allowed
    assert asked == ["ls", "cat a.md"]
