"""The verdicts that the gaps of notebook 07 ask for, held to what really happens.

Commands are given to a real shell and paths are written to, each in a throw-away folder.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.course import all_exercises, my
from memlab.course.agents import tool_context
from memlab.course.attack_sets import AttackSets
from memlab.course.exercise import Exercise
from memlab.course.lab import begin
from memlab.course.seams import install_seams, remove_seams
from tests.platforms import needs_posix

SECONDS = 1.0
SECRET = "CANARY-7731"
PROGRAM = ": > hit\n"


def exercise(name: str) -> tuple[Exercise, dict[str, Any]]:
    """Return an exercise, and the names that its cases.py defines."""
    (found,) = (one for one in all_exercises() if one.name == name)
    return found, found.cases.__globals__


def project(top: Path) -> Path:
    """Make a small project, with files whose names are options."""
    folder = top / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "trap").mkdir()
    (folder / "tools").mkdir()
    (top / "secret").write_text(SECRET, encoding="utf-8")
    for name in ("notes.md", "my notes.md", "a=b.md", "tests/tide.md", "old.md", "-delete"):
        (folder / name).write_text("late\nthe ferry\n", encoding="utf-8")
    (folder / "trap" / "tide.md").write_text("late\n", encoding="utf-8")
    for name in ("ls", "tools/cat"):
        (folder / name).write_text(f"#!/bin/sh\n{PROGRAM}", encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def effect(command: str, top: Path) -> str:
    """Say what a command did in a shell, besides reading here; nothing if it only read."""
    shutil.rmtree(top, ignore_errors=True)
    folder = project(top)
    before = contents(folder)
    try:
        ran = subprocess.run(
            [shutil.which("bash") or "bash", "--norc", "-c", command],
            cwd=folder,
            env={"PATH": "/usr/bin:/bin", "HOME": str(top), "ACTION": "-delete"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        return "does not end"
    changed = before.items() ^ contents(folder).items()
    if changed:
        return f"changes {sorted({name for name, _ in changed})}"
    return "reads elsewhere" if b"secret" in ran.stdout or SECRET.encode() in ran.stdout else ""


@pytest.mark.slow
@needs_posix
class TestCommands:
    def test_a_shell_does_harm_with_every_command_that_is_said_to_be_harmful(
        self, tmp_path: Path
    ) -> None:
        _, names = exercise("is_read_only_command")
        harmful = [*names["HARM"], *names["SORT_HARM"]]
        assert [one for one in harmful if not effect(one, tmp_path / "top")] == []

    def test_a_shell_only_reads_with_every_command_that_is_allowed(self, tmp_path: Path) -> None:
        found, names = exercise("is_read_only_command")
        listed = (names["OPTIONS"], names["SORT"])
        allowed = [
            case.arguments[0]
            for case in found.cases(random.Random(7))
            if case.value and case.arguments[1] in listed
        ]
        assert len(allowed) > 40
        done = {command: effect(command, tmp_path / "top") for command in allowed}
        assert {command: what for command, what in done.items() if what} == {}

    def test_what_is_refused_to_be_careful_is_harmless(self, tmp_path: Path) -> None:
        _, names = exercise("is_read_only_command")
        done = {
            command: effect(command, tmp_path / "top")
            for command in names["CAREFUL"]
            if "\0" not in command
        }
        assert {command: what for command, what in done.items() if what} == {}

    def test_drawn_commands_are_what_they_are_said_to_be(self, tmp_path: Path) -> None:
        _, names = exercise("is_read_only_command")
        drawn = random.Random(11)
        for _ in range(20):
            assert effect(names["harmless"](drawn), tmp_path / "top") == ""
            command, _ = names["spoiled"](drawn)
            assert effect(command, tmp_path / "top"), command

    def test_every_way_to_hide_a_word_deletes_files(self, tmp_path: Path) -> None:
        found, _ = exercise("hidden_delete")
        for case in found.cases(random.Random(7)):
            command = my.hidden_delete(*case.arguments)
            assert "notes.md" in effect(command, tmp_path / "top"), command


@needs_posix
@pytest.mark.parametrize("name", ["is_inside", "may_write"])
def test_the_verdict_on_a_path_is_about_the_file_that_is_really_written(
    name: str, tmp_path: Path
) -> None:
    found, names = exercise(name)
    written = 0
    for number, case in enumerate(found.cases(random.Random(7))):
        scratch = tmp_path / str(number)
        scratch.mkdir()
        top = names["make_tree"](scratch)
        path, folder = (os.path.join(top, one) for one in case.arguments)
        place = where_bytes_arrive(path, scratch)
        if not place:
            continue
        written += 1
        root = os.path.realpath(folder)
        below = place.startswith(root.rstrip(os.sep) + os.sep)
        own = ".memlab" in place.removeprefix(root).split(os.sep)
        memory = below and not own and place.endswith(".md") and not place.endswith("/.md")
        assert case.value is (below if name == "is_inside" else memory), case.arguments
    assert written > 25


def where_bytes_arrive(path: str, scratch: Path) -> str:
    """Write to a path without any check, and find the file; nothing if it is a folder."""
    normal = os.path.dirname(path)
    if ".." not in path.split(os.sep):
        os.makedirs(normal, exist_ok=True)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write("bytes that are nowhere else")
    except OSError:
        return ""
    for folder, _, files in os.walk(scratch):
        for name in files:
            file_path = Path(folder, name)
            if file_path.is_symlink():
                continue
            if file_path.read_text(encoding="utf-8") == "bytes that are nowhere else":
                return os.path.realpath(file_path)
    return ""


@needs_posix
def test_no_path_that_may_write_allows_leads_out_by_itself() -> None:
    """As the notebook says: another program has to read the path first."""
    sets = AttackSets(begin(7))

    def your_path(directory: Path, path: str) -> bool:
        return bool(my.may_write(os.path.join(directory, path), str(directory)))

    wrong = [case for case in sets.paths if not case.allow and not sets.refusal(your_path, case)]
    assert len([case for case in wrong if case.half == "final"]) == 60
    assert [case.path for case in wrong if case.proof == "escape" and not case.after] == []


def raises(*arguments: object) -> bool:
    raise RuntimeError("a mistake of the learner's")


def always(*arguments: object) -> bool:
    return True


@needs_posix
@pytest.mark.parametrize(("mine", "allowed"), [(always, True), (raises, False)])
def test_a_learners_guard_can_refuse_and_never_allow_what_memlab_refuses(
    mine: Callable[..., bool], allowed: bool
) -> None:
    from memlab.agent import fork, permissions

    lab = begin(7)
    install_seams(dict.fromkeys(("is_inside", "may_write", "is_read_only_command"), mine))
    try:
        context = fork.fork_context(tool_context(lab), who="extractor")
        permission = permissions.memory_permissions(context)
        memory = str(lab.memory)
        for name, given, ours in (
            ("Read", {"file_path": "README.md"}, True),
            ("Read", {"file_path": "/etc/passwd"}, False),
            ("Bash", {"command": "ls -l"}, True),
            ("Bash", {"command": "ls; rm x"}, False),
            ("Write", {"file_path": f"{memory}/ferry.md"}, True),
            ("Write", {"file_path": "CLAUDE.md"}, False),
        ):
            assert bool(permission(name, given)) is (ours and allowed), (name, given)
    finally:
        remove_seams()
