"""The verdicts that the gaps of notebook 07 ask for, held to what really happens.

Paths are written to, in a throw-away folder. ``tests/attacks`` does the same with commands.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.shell import is_read_only_command
from memlab.course import agent_for, my, parts
from memlab.course.gap import all_gaps
from memlab.course.gaps import nb07
from memlab.course.lab import begin
from memlab.evals import fill, load_path_cases, load_trees, set_up
from tests.platforms import needs_posix


@needs_posix
@pytest.mark.parametrize("name", ["is_inside", "may_write"])
def test_the_verdict_on_a_path_is_about_the_file_that_is_really_written(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    gap = all_gaps()[name]
    written = 0
    for case in gap.cases(random.Random(7)):
        top = nb07.tree.__wrapped__()
        monkeypatch.setattr(nb07, "tree", lambda top=top: top)
        expected = gap.watch(gap.ours, *case.given)
        path, folder = map(nb07.full, case.given)
        root = os.path.realpath(folder)
        place = where_bytes_arrive(path, Path(top))
        monkeypatch.undo()
        shutil.rmtree(top)
        if not place:
            continue
        written += 1
        below = place.startswith(root.rstrip(os.sep) + os.sep)
        own = ".memlab" in place.removeprefix(root).split(os.sep)
        memory = below and not own and place.endswith(".md") and not place.endswith("/.md")
        assert expected is (below if name == "is_inside" else memory), case.given
    assert written > 20


@needs_posix
@pytest.mark.parametrize("name", ["is_inside", "may_write"])
def test_the_call_that_a_message_shows_gives_the_same_by_hand(name: str) -> None:
    gap = all_gaps()[name]
    assert gap.call
    for case in gap.cases(random.Random(7)):
        line, *_ = gap.call(*case.given).split("\n")
        by_hand = eval(line, {name: gap.ours})
        assert by_hand is gap.watch(gap.ours, *case.given), line


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
def test_no_path_that_may_write_allows_leads_out_by_itself(tmp_path: Path) -> None:
    """As the notebook says: another program has to read the path first."""
    tree = load_trees().paths
    wrong = []
    for number, case in enumerate(load_path_cases()):
        folders = tree.make(tmp_path / str(number))
        set_up([fill(entry, folders) for entry in case.setup], folders["MEMORY"])
        path = os.path.join(folders["MEMORY"], fill(case.path, folders))
        if not case.allow and "\0" not in path and my.may_write(path, str(folders["MEMORY"])):
            wrong.append(case)
    assert len([case for case in wrong if case.half == "final"]) == 60
    assert [case.path for case in wrong if case.proof == "escape" and not case.after] == []


def test_the_learners_verdict_can_refuse_more_and_never_allow_more() -> None:
    asked: list[str] = []

    def strict(command: str, options: object) -> bool:
        asked.append(command)
        assert options is nb07.COMMAND_OPTIONS
        return command == "ls"

    combined: Any = nb07.combined
    judge = combined(strict, is_read_only_command)
    assert judge("ls").allowed
    assert judge("cat a.md").reason == "Your own verdict refuses it"
    lenient = combined(lambda command, options: True, is_read_only_command)
    assert not lenient("rm a.md").allowed
    assert asked == ["ls", "cat a.md"]


def raises(*arguments: object) -> bool:
    raise RuntimeError("a mistake of the learner's")


def never(*arguments: object) -> bool:
    return False


def always(*arguments: object) -> bool:
    return True


@needs_posix
@pytest.mark.parametrize(("mine", "allowed"), [(always, True), (raises, True), (never, False)])
def test_a_learners_guard_can_refuse_and_never_allow_what_memlab_refuses(
    mine: Callable[..., bool], allowed: bool
) -> None:
    from memlab.agent import fork, permissions

    lab = begin(7)
    for name in ("is_inside", "may_write", "is_read_only_command"):
        parts.install(all_gaps()[name], mine)
    try:
        context = fork.fork_context(agent_for(lab, "one").context, who="extractor")
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
        parts.remove_all()
