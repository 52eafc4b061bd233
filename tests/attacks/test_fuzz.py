"""Words of the attack set, put together in any order: the guards keep every promise.

Watched are each start of a program and each folder that this process lists, before it happens;
every change of the tree, the output, and what is left running. Nothing but a denial may be raised.
Paths are also judged while somebody swaps folders in unit/memdir/test_swaps.py.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from memlab.agent.shell import is_read_only_command
from memlab.agent.shell_run import Limits, run_read_only
from memlab.agent.tool import ToolError
from memlab.errors import MemoryPathError
from memlab.evals.attacks import fill, load_path_cases, load_shell_cases, load_trees, set_up
from memlab.memdir.folder import Folder
from memlab.memdir.names import plain_file
from tests.attacks.sandbox import EIGHT, snapshot
from tests.platforms import needs_linux

pytestmark = needs_linux
COUNTS = [pytest.param(300, marks=pytest.mark.slow), pytest.param(10_000, marks=pytest.mark.soak)]
TRAPS = """gate -> ../../outside|gate.txt -> ../../outside/harbour-code.txt|loop -> loop|top -> /
tests/gate -> ../../../outside|-R|-f|-delete|+1f|sub/desk.pipe |--files0-from=starts.list|[x]"""
ACTS = re.compile(r"-(delete|exec.*|ok.*|fprint.*|fls|files0-from)")
NAMED = {"-name", "-path", "-newer", "-samefile", "-printf", "-regex", "-type", "-user"}
SEEN: list[tuple[str, Any]] = []
WATCHED = ("os.listdir", "os.scandir", "subprocess.Popen", "os.exec", "os.system", "os.fork")
sys.addaudithook(lambda event, args: SEEN.append((event, args)) if event in WATCHED else None)


def made_up(chance: random.Random, pieces: list[str], most: int, gaps: tuple[str, ...]) -> str:
    chosen = chance.choices(pieces, k=chance.randint(1, most))
    return "".join(piece + chance.choice(gaps) for piece in chosen)


@pytest.mark.parametrize("count", COUNTS)
def test_made_up_commands_show_and_change_nothing_and_end(count: int, tmp_path: Path) -> None:
    top = Path(os.path.realpath(tmp_path))
    places = load_trees().shell.make(top)
    project, outside = places["PROJECT"], str(places["OUTSIDE"])
    set_up(re.split(r"[|\n](?! )", TRAPS.replace("pipe |", "pipe |")), project)
    (project / "endless.bin").touch()
    os.truncate(project / "endless.bin", 1 << 40)
    roots = [places[name] for name in ("PROJECT", "MEMORY", "SESSIONS")]
    chance, ran, before = random.Random(count), 0, snapshot(top)
    labelled = [case.command for case in load_shell_cases() if len(case.command) < 300]
    words = sorted({word for one in labelled for word in one.split(" ") if word})
    allowed = [one for one in labelled if is_read_only_command(one)]
    mild = [word for one in allowed for word in one.split(" ") if word]
    traps = [entry.split(" ->")[0].strip() for entry in TRAPS.replace("\n", "|").split("|")]
    for _ in range(count):
        command = made_up(chance, [*words, *mild * 4, *traps * 9], 4, (" ", " ", " ", ""))
        if chance.random() < 0.8:
            command = f"{chance.choice(allowed)}{chance.choice((' ', ' | '))}{command}"
        verdict = is_read_only_command(fill(command, places))
        assert bool(verdict) is not bool(verdict.reason)
        SEEN.clear()
        shown = ""
        try:
            limits = Limits(seconds=0.3, output_bytes=2_000)
            shown = run_read_only(verdict, cwd=project, roots=roots, limits=limits)
            ran += 1
        except ToolError:
            assert "subprocess.Popen" not in dict(SEEN), command
        for event, args in SEEN:
            path = os.fsdecode(args[0]) if args and args[0] else ""
            assert not os.path.realpath(project / path).startswith(outside), command
            if event == "subprocess.Popen":
                assert re.fullmatch(f"(/usr)?/bin/({'|'.join(EIGHT)})", path), command
                finds = Path(path).name == "find"
                pairs = itertools.pairwise(map(os.fsdecode, args[1] if finds else ()))
                assert not any(ACTS.fullmatch(b) and a not in NAMED for a, b in pairs), command
        assert {event for event, _ in SEEN} <= {"os.listdir", "os.scandir", "subprocess.Popen"}
        assert "CANARY-7731" not in shown, command
        assert not re.search(r"^(\./)?(outside/)?harbour-code\.txt$", shown, re.MULTILINE), command
        assert len(shown.encode()) < 2_100, command
    assert snapshot(top) == before
    assert psutil.Process().children(recursive=True) == []
    assert ran > count / 20


@pytest.mark.parametrize("count", COUNTS)
def test_made_up_paths_lead_nowhere_else(count: int, tmp_path: Path) -> None:
    places = load_trees().paths.make(Path(os.path.realpath(tmp_path)))
    memory = places["MEMORY"]
    links = ("crew -> ../outside", "diary.md -> ../outside/secret.md", "team/notes.md", "desk.md |")
    set_up(links, memory)
    labelled = [fill(case.path, places) for case in load_path_cases() if len(case.path) < 300]
    parts = sorted({part for path in labelled for part in path.split("/")})
    parts = [*parts, "crew", "team", "notes.md"]
    chance, before, opened = random.Random(count), snapshot(tmp_path), 0
    for _ in range(count * 3):
        path = made_up(chance, parts, 3, ("/", "/", "")).strip("/")
        try:
            name = plain_file(Folder(memory), path)
            assert os.path.realpath(memory / name).startswith(f"{memory}/"), path
            with open(Folder(memory).open(name), encoding="utf-8") as source:
                assert "outside" not in source.read(), path
            opened += 1
        except (MemoryPathError, OSError):
            pass
    assert (opened > 0, snapshot(tmp_path) == before) == (True, True)
