"""Running what was allowed: only the eight programs, only inside the roots, only within limits."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from memlab.agent.command_policy import is_read_only_command
from memlab.agent.command_run import Limits, run_read_only
from memlab.agent.tool import ToolError
from memlab.evals.attacks import ShellCase, fill, load_shell_cases, load_trees, set_up
from tests.attacks.sandbox import snapshot
from tests.platforms import needs_linux, needs_posix

pytestmark = needs_posix

TREE = load_trees().shell
CASES = [case for case in load_shell_cases() if case.allow]
EIGHT = {"ls", "find", "grep", "cat", "stat", "wc", "head", "tail"}
QUICK = Limits(seconds=5, output_bytes=20_000, memory_bytes=200_000_000, matches=200)
CANARY = "CANARY-7731"
STARTING = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork")

_started: list[tuple[str, Any]] | None = None


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if _started is not None and event in STARTING:
        _started.append((event, args[0]))


sys.addaudithook(_watch)


@contextmanager
def watching() -> Iterator[list[tuple[str, Any]]]:
    """Collect every start of a program by this process."""
    global _started
    found: list[tuple[str, Any]] = []
    _started = found
    try:
        yield found
    finally:
        _started = None


class Workspace:
    """A fresh tree of the attack set."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.directories = TREE.make(top)
        self.roots = [self.directories[name] for name in ("PROJECT", "MEMORY", "SESSIONS")]

    def run(self, command: str, limits: Limits = QUICK) -> str:
        verdict = is_read_only_command(fill(command, self.directories))
        return run_read_only(
            verdict, cwd=self.directories["PROJECT"], roots=self.roots, limits=limits
        )

    def setup(self, *entries: str) -> None:
        set_up(entries, self.directories["PROJECT"])


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def wrong_with(case: ShellCase, top: Path) -> str:
    """Run an allowed case of the attack set and say what is wrong, or nothing."""
    workspace = Workspace(top)
    workspace.setup(*case.setup, *case.trap)
    before, shown, refused = snapshot(top), "", ""
    with watching() as started:
        try:
            shown = workspace.run(case.command)
        except ToolError as error:
            refused = str(error)
    if snapshot(top) != before:
        return "something was changed"
    if {Path(name).name for _, name in started} - EIGHT:
        return f"started {started}"
    if CANARY in shown:
        return "something from outside was shown"
    if len(shown.encode()) > QUICK.output_bytes + 100:
        return "the output is too long"
    if not case.confined and not (refused and not started):
        return f"read outside: {shown!r}"
    if case.confined and refused and not (case.limit or case.trap):
        return f"was refused: {refused}"
    return ""


@pytest.mark.behaviour("H4")
@pytest.mark.parametrize("half", ["work", "final"])
def test_the_attack_set_is_run_inside_or_not_at_all(half: str, tmp_path: Path) -> None:
    cases = [case for case in CASES if case.half == half]
    wrong = {case.id: wrong_with(case, tmp_path / case.id) for case in cases}
    assert {name: what for name, what in wrong.items() if what} == {}


def test_a_program_that_is_started_is_seen() -> None:
    with watching() as started:
        psutil.Popen(["true"]).wait()
    assert [Path(name).name for _, name in started] == ["true"]


def test_pipes_quotes_and_patterns_do_what_they_do_in_a_shell(workspace: Workspace) -> None:
    assert workspace.run("cat logs/desk.log | grep ERROR | wc -l").strip() == "2"
    assert workspace.run("cat 'my notes.md'") == "spaces in the name"
    assert workspace.run("head -n 1 [C-R]*.md | grep tide") == "# tidebook"
    assert workspace.run("ls t*/t*.py") == "./tests/test_board.py\n./tidebook/tides.py"
    assert workspace.run("ls *.rst") == "ls: cannot access '*.rst': No such file or directory"
    assert workspace.run("grep nothing-of-the-kind notes.md") == ""


def test_a_program_learns_that_nobody_listens(workspace: Workspace) -> None:
    endless = workspace.directories["PROJECT"] / "endless.bin"
    endless.touch()
    os.truncate(endless, 1 << 40)
    assert workspace.run("cat endless.bin | head -c 3").strip("\0") == ""


def test_the_order_is_that_of_bytes(workspace: Workspace) -> None:
    workspace.setup("b.txt", "B.txt", "\u00e4.txt", "a.txt")
    assert workspace.run("ls -d *.txt").split() == [
        *("./B.txt", "./a.txt", "./b.txt", "./patterns.txt", "./\u00e4.txt")
    ]


def test_hidden_files_need_a_dot_in_the_pattern(workspace: Workspace) -> None:
    workspace.setup(".secret.md")
    assert ".secret.md" not in workspace.run("ls -d *.md")
    assert workspace.run("ls -d .*.md") == "./.secret.md"


@pytest.mark.parametrize(
    "command",
    [
        "cat gate.txt",
        "cat g*.txt",
        "ls gate",
        "cat gate/harbour-code.txt",
        "ls gate/*",
        "ls */harbour*",
        "ls gat*/no-such-name*",
        "find gate/ -name '*code*'",
        "grep total notes.md | cat - @OUTSIDE@/harbour-code.txt",
        "find . -newer @OUTSIDE@/harbour-code.txt",
        "grep -f @OUTSIDE@/harbour-code.txt notes.md",
        "ls ../../*",
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


def test_a_link_that_stays_inside_is_followed(workspace: Workspace) -> None:
    workspace.setup("alias.md -> notes.md")
    assert "slipway" in workspace.run("cat alias.md")


def test_a_working_folder_outside_is_refused(workspace: Workspace) -> None:
    verdict = is_read_only_command("ls")
    with pytest.raises(ToolError, match="leads elsewhere"):
        run_read_only(verdict, cwd=workspace.directories["OUTSIDE"], roots=workspace.roots)


def test_a_command_that_was_not_allowed_does_not_run(workspace: Workspace) -> None:
    with watching() as started, pytest.raises(ToolError, match="touch"):
        workspace.run("touch hit.txt")
    assert started == []


def test_a_pipe_of_the_project_is_not_waited_for(workspace: Workspace) -> None:
    workspace.setup("desk.pipe |")
    with pytest.raises(ToolError, match="neither a file nor a folder"):
        workspace.run("cat desk.pipe")


def children() -> list[Any]:
    return [one.name() for one in psutil.Process().children(recursive=True)]


@pytest.mark.behaviour("H4")
def test_time_is_limited_and_nothing_is_left_running(workspace: Workspace) -> None:
    endless = workspace.directories["PROJECT"] / "endless.bin"
    endless.touch()
    os.truncate(endless, 1 << 40)
    before = children()
    shown = workspace.run("cat endless.bin | cat | wc -l", Limits(seconds=0.05))
    assert shown == "[stopped after 0.05 s: ask for less]"
    assert children() == before


def test_output_is_limited_and_nothing_is_left_running(workspace: Workspace) -> None:
    (workspace.directories["PROJECT"] / "long.txt").write_text("line\n" * 100_000)
    before = children()
    shown = workspace.run("cat long.txt long.txt", Limits(output_bytes=1_000))
    assert shown.endswith("line\n[stopped after 1000 bytes: ask for less]")
    assert len(shown) < 1_050
    assert children() == before


def test_complaints_count_as_output(workspace: Workspace) -> None:
    shown = workspace.run(f"cat {'no-such-file ' * 200}", Limits(output_bytes=500))
    assert len(shown) < 550


@needs_linux
def test_memory_is_limited(workspace: Workspace) -> None:
    shown = workspace.run("grep -cE '(ab{9999}){9999}' README.md", Limits(memory_bytes=50_000_000))
    assert "exhausted" in shown


def test_matches_are_limited(workspace: Workspace) -> None:
    workspace.setup(*(f"many/{number}.txt" for number in range(30)))
    with pytest.raises(ToolError, match=r"many/\*\.txt fits more than 20 files"):
        workspace.run("ls many/*.txt", Limits(matches=20))


@needs_linux
def test_programs_see_next_to_nothing_of_the_environment(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLAB_KEY", "secret")
    workspace.roots.append(Path("/proc"))
    # A name that means the one who looks: it is judged as ours, and read as the program's own.
    shown = workspace.run("cat /proc/self/environ")
    assert shown.split("\0")[:-1] == ["LC_ALL=C.UTF-8", "TZ=UTC"]


def test_the_path_of_the_person_is_not_searched(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(workspace.top)
    monkeypatch.setenv("PATH", f"{workspace.directories['PROJECT']}:.:{os.environ['PATH']}")
    assert "README.md" in workspace.run("ls")
    assert snapshot(workspace.top) == before


def test_a_system_without_the_programs_says_so(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "confstr", lambda name: "/nowhere")
    with pytest.raises(ToolError, match="Use Read, Grep or Glob"):
        workspace.run("ls")


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A tree full of links that lead out and of names that look like options."""
    workspace = Workspace(tmp_path_factory.mktemp("trapped"))
    workspace.setup(
        "gate -> ../../outside", "gate.txt -> ../../outside/harbour-code.txt", "-R", "-f"
    )
    workspace.setup("tests/gate -> ../../../outside", "-delete", "--files0-from=starts.list", "+1f")
    return workspace


def keeps_its_promises(command: str, workspace: Workspace) -> str:
    """Run a made-up command; gives how it ended."""
    before, ended = snapshot(workspace.top), "ran"
    with watching() as started:
        try:
            shown = workspace.run(command, Limits(seconds=2, output_bytes=2_000, matches=50))
        except ToolError as error:
            shown, ended = "", "elsewhere" if "leads elsewhere" in str(error) else "refused"
    assert {Path(name).name for _, name in started} <= EIGHT, started
    assert all(Path(name).parent in (Path("/bin"), Path("/usr/bin")) for _, name in started)
    assert ended == "ran" or started == []
    assert CANARY not in shown
    assert not re.search(r"^(\./)?(outside/)?harbour-code\.txt$", shown, re.MULTILINE)
    assert len(shown.encode()) < 2_100
    assert "[stopped after 2 s" not in shown
    assert snapshot(workspace.top) == before
    return ended


def test_the_programs_that_run_are_the_eight() -> None:
    found = {stage.program for case in CASES for stage in _stages(case)}
    assert found == EIGHT


def _stages(case: ShellCase) -> Any:
    return is_read_only_command(case.command).pipeline
