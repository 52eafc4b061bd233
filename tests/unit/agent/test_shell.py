"""The verdict on a command: the attack set, a real shell's reading of it, and any text."""

from __future__ import annotations

import shutil
import statistics
import subprocess
from functools import partial
from pathlib import Path

import pytest

from memlab.agent.shell import MAX_CHARACTERS, is_read_only_command
from memlab.evals.attacks import load_shell_cases
from tests.platforms import needs_bash
from tests.work import calls

CASES = load_shell_cases()
EIGHT = ("ls", "find", "grep", "cat", "stat", "wc", "head", "tail")


@pytest.mark.behaviour("H4")
@pytest.mark.parametrize("half", ["work", "final"])
def test_the_attack_set_is_judged_rightly(half: str) -> None:
    cases = [(case, is_read_only_command(case.command)) for case in CASES if case.half == half]
    assert [case.id for case, verdict in cases if verdict.allowed is not case.allow] == []
    assert all(bool(verdict.reason) is not bool(verdict.pipeline) for _, verdict in cases)


@pytest.mark.behaviour("H4")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("cat a.md > b.md", "> has a special meaning in a shell"),
        ('grep "$HOME" a.md', "put it in single quotes"),
        ("ls ~/.memlab", "Use Glob, Grep or Read, which take ~/…"),
        ("rm a.md", "ls, find, grep, cat, stat, wc, head, tail"),
        ("git log --oneline", "git is not among them"),
        ("find . -delete", "-delete is not among the options of find"),
        ("tail -f a.log", "-f is not among the options of tail"),
        ("tail +3 a.log", "tail -n +3"),
        ("cat 'a.md", "opens a quote that is never closed"),
        ("ls\ntouch a.md", "one line"),
        ("grep -m", "A value for -m is missing"),
        ("ls -[l]", "Write the option out"),
        ("ls |", "There is none in one place"),
        ("a" * (MAX_CHARACTERS + 1), "longer than 4,000 characters"),
        ("|".join(["ls"] * 11), "more than 10 programs"),
    ],
)
def test_a_refusal_says_what_to_do(command: str, said: str) -> None:
    assert said in is_read_only_command(command).reason


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat a.md 'b c.md'", ["a.md", "b c.md"]),
        ("grep total a.md -n b.md", ["a.md", "b.md"]),
        ("grep a.md -e total b.md", ["a.md", "b.md"]),
        ("grep -nftotal a.md", ["total", "a.md"]),
        ("grep --file=total -A 2 a.md", ["total", "a.md"]),
        ("grep -m 1 -- -1 a.md", ["a.md"]),
        ("find a -newer b -name c", ["a", "b"]),
        ("head -n 5 a.md -c 3", ["a.md"]),
    ],
)
def test_the_files_a_command_names_are_known(command: str, files: list[str]) -> None:
    (stage,) = is_read_only_command(command).pipeline
    assert [one.path for one in stage.arguments if one.path is not None] == files


def test_patterns_are_told_from_quoted_ones() -> None:
    (stage,) = is_read_only_command("ls *.md '*.md' a\\*[b]*").pipeline
    assert [one.glob for one in stage.arguments] == ["*.md", "", "a[*][b]*"]


def words_of_bash(command: str, folder: Path) -> list[str] | None:
    """What bash hands to the one of the eight that a command names; None if it runs nothing."""
    functions = "".join(f"{name}() {{ printf '%s\\0' {name} \"$@\" >&2; }}; " for name in EIGHT)
    options = "set -f; set -o history; set -o histexpand; history -s 'ls hit'\n"
    ran = subprocess.run(
        [shutil.which("bash") or "bash", "--norc", "--noprofile", "-s"],
        input=options + functions + "\n" + command + "\n",
        env={"PATH": "/nowhere", "LC_ALL": "C.UTF-8"},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=20,
    )
    return ran.stderr.split("\0")[:-1] if ran.stderr.endswith("\0") else None


def agrees_with_bash(command: str, folder: Path) -> None:
    verdict = is_read_only_command(command)
    if len(verdict.pipeline) == 1:
        (stage,) = verdict.pipeline
        ours = [stage.program, *(argument.text for argument in stage.arguments)]
        assert words_of_bash(command, folder) == ours
    assert list(folder.iterdir()) == []


@needs_bash
def test_bash_reads_what_is_allowed_in_the_same_words(tmp_path: Path) -> None:
    assert words_of_bash("cat {a,b} $HOME", tmp_path) == ["cat", "a", "b"]
    assert words_of_bash("touch hit", tmp_path) is None
    for case in CASES:
        if case.allow:
            agrees_with_bash(case.command, tmp_path)


def test_a_verdict_is_little_work() -> None:
    made = [calls(partial(is_read_only_command, case.command)) for case in CASES]
    assert statistics.median(made) < 300
    assert max(made) < 3_000
