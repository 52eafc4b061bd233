"""The shell: what a command may be, that bash reads it alike, and what running it can do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest

from memlab.agent import shell_run
from memlab.agent.shell import is_read_only_command
from memlab.agent.shell_run import Limits, run_read_only
from memlab.agent.tool import ToolError
from memlab.evals.attacks import fill, load_shell_cases, load_trees, set_up
from tests.attacks.sandbox import snapshot
from tests.platforms import needs_bash, needs_linux, needs_posix
from tests.work import calls

CASES = load_shell_cases()
EIGHT = ("ls", "find", "grep", "cat", "stat", "wc", "head", "tail")
STARTS = ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.fork")
MARK, Patch = pytest.mark, pytest.MonkeyPatch
PARTS = [pytest.param(10, marks=MARK.slow), pytest.param(1, marks=MARK.soak)]
STARTED: list[str] = []
sys.addaudithook(
    lambda event, args: STARTED.extend((str(args[0] if args else event),) * (event in STARTS))
)


REFUSED = """cat a.md > b.md: special meaning| git log: git is not| find . -delete: -delete
tail -f a.log: -f is not| cat 'a.md: never closed| grep -m: -m is missing| ls -[l]: Write the option
ls ~/.memlab: Use Glob, Grep| tail +3 a.log: tail -n +3| grep "$HOME" a.md: single quotes"""


@pytest.mark.behaviour("H4")
def test_verdicts_reasons_and_the_files_that_are_opened() -> None:
    verdicts = [(case, is_read_only_command(case.command)) for case in CASES]
    assert [case.id for case, one in verdicts if bool(one) is not case.allow] == []
    assert {stage.program for _, one in verdicts for stage in one.pipeline} == {*EIGHT}
    judging = [partial(is_read_only_command, case.command) for case in CASES]
    assert max(map(calls, judging)) < 3_000
    for row in REFUSED.replace("\n", "|").split("|"):
        command, said = row.strip().split(": ")
        assert said in is_read_only_command(command).reason
    for fits in ("ls " + "a" * 3_997, "|".join(["ls"] * 10)):
        assert is_read_only_command(fits)
        assert not is_read_only_command(fits + fits[-3:])
    assert not is_read_only_command("ls\ntouch a.md")


def words_of_bash(commands: list[str], folder: Path) -> list[list[str]]:
    """What bash, in one process, hands to the program that each command names."""
    shown = "".join(f"{x}() {{ printf '%s\\0' {x} \"$@\" >&3; }}\n" for x in EIGHT)
    head = "set -f; set -o history; set -o histexpand; history -s 'ls hit'\nexec 3>&2 2>/dev/null\n"
    lines = [f"{command}\nprintf '\\n\\0' >&3" for command in commands]
    done = subprocess.run(
        [str(shutil.which("bash")), "--norc", "--noprofile", "-s"],
        input="\n".join([head + shown, *lines, ""]),
        env={"PATH": "/nowhere", "LC_ALL": "C.UTF-8"},
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )
    return [one.split("\0")[:-1] for one in done.stderr.split("\n\0")[:-1]]


@needs_bash
@pytest.mark.behaviour("H4")
def test_bash_reads_what_is_allowed_in_the_same_words(tmp_path: Path) -> None:
    assert words_of_bash(["cat {a,b} $HOME"], tmp_path) == [["cat", "a", "b"]]
    allowed = [one.command for one in CASES if one.allow and "|" not in one.command]
    stages = [is_read_only_command(one).pipeline[0] for one in allowed]
    ours = [[one.program, *(word.text for word in one.arguments)] for one in stages]
    assert words_of_bash(allowed, tmp_path) == ours
    assert len(ours) > 100


class Workspace:
    """A fresh tree of the attack set."""

    def __init__(self, top: Path) -> None:
        self.top, self.directories = top, load_trees().shell.make(top)
        self.project = self.directories["PROJECT"]
        self.roots = [self.directories[n] for n in ("PROJECT", "MEMORY", "SESSIONS")]

    def run(self, command: str, cwd: Path | None = None, **more: object) -> str:
        STARTED.clear()
        verdict = is_read_only_command(fill(command, self.directories))
        most = {"seconds": 5, "output_bytes": 20_000, "memory_bytes": 200_000_000}
        given = {"roots": self.roots, "limits": Limits(**{**most, **more})}
        return run_read_only(verdict, cwd=cwd or self.project, **given)


@pytest.fixture
def work(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@needs_posix
@pytest.mark.behaviour("H4")
@pytest.mark.parametrize("part", PARTS)
def test_the_attack_set_is_run_inside_or_not_at_all(part: int, tmp_path: Path) -> None:
    for case in [case for case in CASES if case.allow][::part]:
        work, shown, refused = Workspace(tmp_path / case.id), "", False
        set_up([*case.setup, *case.trap], work.project)
        before = snapshot(work.top)
        try:
            shown = work.run(case.command)
        except ToolError:
            refused = True
        assert snapshot(work.top) == before, case.id
        assert len(shown) < 20_100, case.id
        assert "CANARY-7731" not in shown, case.id
        assert {Path(name).name for name in STARTED} <= {*EIGHT}, case.id
        assert not (refused and STARTED), case.id
        assert case.limit or case.trap or refused is not case.confined, case.id


@needs_posix
def test_pipes_quotes_and_patterns_work(work: Workspace) -> None:
    names = ("b.txt", "B.txt", "\u00e4.txt", ".secret.md", "alias.md -> notes.md")
    set_up(names, work.project)
    shown = {
        "cat logs/desk.log | grep ERROR | wc -l": "2",
        "cat 'my notes.md'": "spaces in the name",
        "ls t*/t*.py": "./tests/test_board.py ./tidebook/tides.py",
        "ls *.rst": "ls: cannot access '*.rst': No such file or directory",
        "ls -d *.txt": "./B.txt ./b.txt ./patterns.txt ./\u00e4.txt",
        "ls -d .*.md": "./.secret.md",
        "wc -c alias.md | wc -l": "1",
    }
    assert {command: " ".join(work.run(command).split()) for command in shown} == shown


OUTSIDE = """cat gate.txt; cat g*.txt; ls */harbour*; ls gat*/no-such-name*; ls /*;
find gate/ -name '*code*'; grep total notes.md | cat - @OUTSIDE@/harbour-code.txt;
find . -newer @OUTSIDE@/harbour-code.txt; grep -f @OUTSIDE@/harbour-code.txt notes.md;
ls @PROJECT@-of-another/notes.md"""
OTHERS = {
    "cat tests/desk.pipe": "neither a file nor a folder",
    "cat .memlab/images/x": "memlab's own record",
    "ls many/*": "more than 20",
    "touch hit.txt": "touch",
}


@needs_posix
@pytest.mark.behaviour("H4")
@pytest.mark.parametrize("command", [*map(str.strip, OUTSIDE.split(";")), *OTHERS])
def test_nothing_starts_outside(work: Workspace, command: str, monkeypatch: Patch) -> None:
    made = (".memlab/images/x", "tests/desk.pipe |", "../tidebook-of-another/notes.md")
    links = ("gate -> ../../outside", "gate.txt -> ../../outside/harbour-code.txt")
    set_up((*made, *links, *(f"many/{n}" for n in range(21))), work.project)
    monkeypatch.setattr(shell_run, "MOST_MATCHES", 20)
    with pytest.raises(ToolError, match=OTHERS.get(command, "elsewhere")):
        work.run(command)
    with pytest.raises(ToolError, match="elsewhere"):
        work.run("ls", work.top)
    assert STARTED == []


@needs_linux
@pytest.mark.behaviour("H4")
def test_all_is_limited(work: Workspace, monkeypatch: Patch) -> None:
    (work.project / "endless.bin").touch()
    os.truncate(work.project / "endless.bin", 1 << 40)
    monkeypatch.setenv("MEMLAB_KEY", "secret")
    monkeypatch.setenv("PATH", f"{work.project}:.:{os.environ['PATH']}")
    assert "stopped after 0.05 s" in work.run("cat endless.bin | wc -l", seconds=0.05)
    assert work.run("cat endless.bin | head -c 3").strip("\0") == ""
    shown = work.run("cat notes.md README.md notes.md", output_bytes=100)
    assert (shown[-21:].strip(), len(shown) < 150) == ("bytes: ask for less]", True)
    assert len(work.run(f"cat {'no-such-file ' * 200}", output_bytes=500)) < 550
    big = work.run("grep -cE '(ab{9999}){9999}' README.md", memory_bytes=50_000_000)
    assert "exhausted" in big
    assert psutil.Process().children(recursive=True) == []
    work.roots.append(Path("/proc"))  # nothing of our environment goes to a program
    assert work.run("cat /proc/self/environ") == "LC_ALL=C.UTF-8\0TZ=UTC\0"
