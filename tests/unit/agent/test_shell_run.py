"""Running what was allowed: only the eight programs, only inside the roots, only within limits."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from memlab.agent import shell_run
from memlab.agent.shell import is_read_only_command
from memlab.agent.shell_run import Limits, run_read_only
from memlab.agent.tool import ToolError
from memlab.evals.attacks import fill, load_shell_cases, load_trees, set_up
from memlab.evals.labelled import Label
from tests.attacks.sandbox import snapshot
from tests.platforms import needs_linux, needs_posix

pytestmark = needs_posix

TREE = load_trees().shell
CASES = [case for case in load_shell_cases() if case.allow]
EIGHT = {"ls", "find", "grep", "cat", "stat", "wc", "head", "tail"}
QUICK = Limits(seconds=5, output_bytes=20_000, memory_bytes=200_000_000)
CANARY = "CANARY-7731"
STARTING = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork")

_started: list[str] | None = None


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if _started is not None and event in STARTING:
        _started.append(os.fsdecode(args[0]) if event == "subprocess.Popen" else event)


sys.addaudithook(_watch)


@contextmanager
def watching() -> Iterator[list[str]]:
    """Collect every program that this process starts."""
    global _started
    _started = found = list[str]()
    try:
        yield found
    finally:
        _started = None


class Workspace:
    """A fresh tree of the attack set."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.directories = TREE.make(top)
        self.project = self.directories["PROJECT"]
        self.roots = [self.directories[name] for name in ("PROJECT", "MEMORY", "SESSIONS")]

    def run(self, command: str, limits: Limits = QUICK, **more: Any) -> str:
        verdict = is_read_only_command(fill(command, self.directories))
        return run_read_only(verdict, cwd=self.project, roots=self.roots, limits=limits, **more)

    def setup(self, *entries: str) -> None:
        set_up(entries, self.project)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def wrong_with(case: Label, top: Path) -> str:
    """Run an allowed case of the attack set and say what is wrong, or nothing."""
    workspace = Workspace(top)
    workspace.setup(*case.setup, *case.trap)
    before, shown, refused = snapshot(top), "", ""
    with watching() as started:
        try:
            shown = workspace.run(case.command)
        except ToolError as error:
            refused = str(error)
    wrong = {
        "something was changed": snapshot(top) != before,
        f"started {started}": bool({Path(name).name for name in started} - EIGHT),
        "something from outside was shown": CANARY in shown,
        "the output is too long": len(shown.encode()) > QUICK.output_bytes + 100,
        f"read outside: {shown!r}": not case.confined and not (refused and not started),
        f"was refused: {refused}": case.confined
        and bool(refused)
        and not (case.limit or case.trap),
    }
    return ", ".join(what for what, how in wrong.items() if how)


@pytest.mark.behaviour("H4")
@pytest.mark.parametrize("half", ["work", "final"])
def test_the_attack_set_is_run_inside_or_not_at_all(half: str, tmp_path: Path) -> None:
    with watching() as started:
        psutil.Popen(["true"]).wait()
    assert started == ["true"]
    cases = [case for case in CASES if case.half == half]
    wrong = {case.id: wrong_with(case, tmp_path / case.id) for case in cases}
    assert {name: what for name, what in wrong.items() if what} == {}


def test_pipes_quotes_and_patterns_do_what_they_do_in_a_shell(workspace: Workspace) -> None:
    workspace.setup("b.txt", "B.txt", "\u00e4.txt", "a.txt", ".secret.md", "alias.md -> notes.md")
    assert workspace.run("cat logs/desk.log | grep ERROR | wc -l").strip() == "2"
    assert workspace.run("cat 'my notes.md'") == "spaces in the name"
    assert workspace.run("head -n 1 [C-R]*.md | grep tide") == "# tidebook"
    assert workspace.run("ls t*/t*.py") == "./tests/test_board.py\n./tidebook/tides.py"
    assert workspace.run("ls *.rst") == "ls: cannot access '*.rst': No such file or directory"
    assert workspace.run("grep nothing-of-the-kind notes.md") == ""
    by_bytes = ["./B.txt", "./a.txt", "./b.txt", "./patterns.txt", "./\u00e4.txt"]
    assert workspace.run("ls -d *.txt").split() == by_bytes
    assert ".secret.md" not in workspace.run("ls -d *.md")
    assert workspace.run("ls -d .*.md") == "./.secret.md"
    assert "slipway" in workspace.run("cat alias.md")


@pytest.mark.parametrize(
    "command",
    [
        "cat gate.txt",
        "cat g*.txt",
        "ls gate/*",
        "ls */harbour*",
        "ls gat*/no-such-name*",
        "find gate/ -name '*code*'",
        "grep total notes.md | cat - @OUTSIDE@/harbour-code.txt",
        "find . -newer @OUTSIDE@/harbour-code.txt",
        "grep -f @OUTSIDE@/harbour-code.txt notes.md",
        "ls /*",
        "ls @PROJECT@-of-another/notes.md",
    ],
)
def test_nothing_starts_when_an_operand_leads_outside(workspace: Workspace, command: str) -> None:
    workspace.setup("gate.txt -> ../../outside/harbour-code.txt", "gate -> ../../outside")
    workspace.setup("../tidebook-of-another/notes.md")
    with watching() as started, pytest.raises(ToolError, match="leads elsewhere"):
        workspace.run(command)
    assert started == []


def test_nothing_starts_in_or_around_a_closed_folder(workspace: Workspace) -> None:
    closed = {workspace.project / "tests": "it is closed"}
    for command in ("ls", "cat tests/*", "grep -r total ."):
        with watching() as started, pytest.raises(ToolError, match="it is closed"):
            workspace.run(command, closed=closed)
        assert started == []


def test_a_refused_command_a_pipe_and_a_folder_elsewhere_are_not_read(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.setup("desk.pipe |")
    verdict = is_read_only_command("ls")
    with watching() as started:
        with pytest.raises(ToolError, match="touch"):
            workspace.run("touch hit.txt")
        with pytest.raises(ToolError, match="neither a file nor a folder"):
            workspace.run("cat desk.pipe")
        with pytest.raises(ToolError, match="leads elsewhere"):
            run_read_only(verdict, cwd=workspace.top, roots=workspace.roots)
        monkeypatch.setattr(os, "confstr", lambda name: "/nowhere")
        with pytest.raises(ToolError, match="Use Read, Grep or Glob"):
            workspace.run("ls")
    assert started == []


@pytest.mark.behaviour("H4")
def test_time_and_output_are_limited_and_nothing_is_left_running(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace.project / "endless.bin").touch()
    os.truncate(workspace.project / "endless.bin", 1 << 40)
    (workspace.project / "long.txt").write_text("line\n" * 100_000)
    before = psutil.Process().children(recursive=True)
    shown = workspace.run("cat endless.bin | cat | wc -l", Limits(seconds=0.05))
    assert shown == "[stopped after 0.05 s: ask for less]"
    # a program learns that nobody listens any more
    assert workspace.run("cat endless.bin | head -c 3").strip("\0") == ""
    shown = workspace.run("cat long.txt long.txt", Limits(output_bytes=1_000))
    assert shown.endswith("line\n[stopped after 1000 bytes: ask for less]")
    assert len(shown) < 1_050
    assert len(workspace.run(f"cat {'no-such-file ' * 200}", Limits(output_bytes=500))) < 550
    assert psutil.Process().children(recursive=True) == before
    workspace.setup(*(f"many/{number}.txt" for number in range(30)))
    monkeypatch.setattr(shell_run, "MOST_MATCHES", 20)
    with pytest.raises(ToolError, match=r"many/\*\.txt fits more than 20 files"):
        workspace.run("ls many/*.txt")


@needs_linux
def test_programs_get_little_memory_and_nothing_of_the_environment(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = workspace.run("grep -cE '(ab{9999}){9999}' README.md", Limits(memory_bytes=50_000_000))
    assert "exhausted" in shown
    monkeypatch.setenv("MEMLAB_KEY", "secret")
    monkeypatch.setenv("PATH", f"{workspace.project}:.:{os.environ['PATH']}")
    workspace.roots.append(Path("/proc"))
    # A name that means the one who looks: it is judged as ours, and read as the program's own.
    shown = workspace.run("cat /proc/self/environ")
    assert shown.split("\0")[:-1] == ["LC_ALL=C.UTF-8", "TZ=UTC"]


def test_the_programs_that_run_are_the_eight() -> None:
    pipelines = [is_read_only_command(case.command).pipeline for case in CASES]
    assert {stage.program for stages in pipelines for stage in stages} == EIGHT
