"""The fuzzer finds what it watches for, and nothing wrong with the guards in a short run."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.agent.command_policy import Argument, Stage, Verdict, is_read_only_command
from tests.attacks import fuzz
from tests.attacks.fuzz import Broken, Fuzz, check_trace
from tests.platforms import needs_linux

pytestmark = needs_linux


def trusting(command: str) -> Verdict:
    """A guard that splits a command into words and allows everything."""
    first, *rest = shlex.split(command) or ["ls"]
    return Verdict(True, pipeline=(Stage(first, tuple(Argument(word) for word in rest)),))


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Fuzz]:
    one = Fuzz(tmp_path)
    yield one
    one.looks.close()


@pytest.fixture
def trusted(tmp_path: Path) -> Iterator[Fuzz]:
    one = Fuzz(tmp_path, judge=trusting)
    yield one
    one.looks.close()


def test_a_short_run_breaks_no_promise() -> None:
    counts = fuzz.run(minutes=0, examples=30)
    for what in ("texts judged", "pipelines ran", "programs started", "paths refused"):
        assert counts[what] > 0, counts


@pytest.mark.soak
def test_a_longer_run_breaks_no_promise() -> None:
    assert fuzz.run(minutes=0, examples=1_000, first=1_000_000)["pipelines ran"] > 0


def test_limits_and_refusals_are_counted(made: Fuzz) -> None:
    for command in ("cat notes.md", "cat gate.txt", "touch hit.txt", "cat endless.bin | wc -l"):
        made.command(command)
    assert made.counts == {
        "pipelines ran": 1,
        "pipelines refused for an operand": 1,
        "pipelines refused by the verdict": 1,
        "pipelines stopped at a limit": 1,
        "programs started": 3,
    }


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("touch hit.txt", "touch"),
        ("find . -name notes.md -delete", "-delete"),
        ("find . -exec cat gate.txt ;", "-exec"),
        ("ls gate", "looked outside"),
        ("cat gate.txt", "looked outside"),
        ("ls /PROJECT/../../outside", "looked outside"),
    ],
)
def test_a_trusting_guard_is_caught(trusted: Fuzz, command: str, said: str) -> None:
    command = command.replace("/PROJECT", str(trusted.project))
    with pytest.raises(Broken, match=re.escape(said)):
        trusted.command(command)
    assert (trusted.project / "notes.md").exists()


def test_a_change_of_the_tree_is_caught(made: Fuzz) -> None:
    made.command("ls")
    (made.project / "notes.md").write_text("changed")
    with pytest.raises(Broken, match="the tree was changed"):
        made.command("ls")


def test_a_verdict_without_a_reason_is_caught(tmp_path: Path) -> None:
    one = Fuzz(tmp_path, judge=lambda command: Verdict(False))
    with pytest.raises(Broken, match="Verdict"):
        one.text("ls")
    one.looks.close()


def test_what_is_left_running_is_caught(made: Fuzz) -> None:
    made.left_running()
    child = os.fork()
    if not child:
        os._exit(0)
    with pytest.raises(Broken, match="left running"):
        made.left_running()
    os.waitpid(child, 0)
    made.left_running()


def test_an_opener_that_is_led_out_is_caught_in_a_race(made: Fuzz) -> None:
    def led_out(directory: Path, path: str) -> int:
        return os.open(directory.parent / "outside" / "notes.md", os.O_RDONLY)

    made.race(50)
    with pytest.raises(Broken, match="50 of 50 opens were led out"):
        made.race(50, led_out)


def test_paths_that_lead_out_are_caught(made: Fuzz, monkeypatch: pytest.MonkeyPatch) -> None:
    made.path("team/notes.md")
    assert made.counts["files opened"] == 1
    monkeypatch.setattr(fuzz, "resolve_memory_path", lambda directory, path: directory / path)
    monkeypatch.setattr(fuzz, "open_inside", lambda directory, path: os.open(directory / path, 0))
    with pytest.raises(Broken, match=r"it leads out.*looked outside.*outside was read"):
        made.path("../outside/secret.md")


def test_a_trace_tells_programs_and_files_from_outside(tmp_path: Path) -> None:
    ours = f'execve("{sys.executable}", ["python"], 0x1) = 0\nopenat(AT_FDCWD, "/root/x", 0) = 3\n'
    (tmp_path / "log.1").write_text(ours)
    line = 'execve("/usr/bin/cat", ["cat"], 0x1) = 0\nopenat(AT_FDCWD, "/lib/libc.so", 0) = 3\n'
    inside = 'openat(AT_FDCWD, "/tmp/memlab-fuzz-1/shell/home/tidebook/a.md", 0) = 3\n'
    missing = 'openat(AT_FDCWD, "/home/b.md", 0) = -1 ENOENT\n'
    (tmp_path / "log.2").write_text(line + inside + missing)
    assert check_trace(tmp_path)[1] == []
    (tmp_path / "log.3").write_text(line + 'openat(AT_FDCWD, "/etc/shadow", 0) = 3\n')
    (tmp_path / "log.4").write_text('execve("/usr/bin/touch", ["touch"], 0x1) = 0\n')
    programs, wrong = check_trace(tmp_path)
    assert programs["cat"] == 2
    assert wrong == ["/etc/shadow", "log.4 ran ['/usr/bin/touch']"]


def test_the_verdict_that_is_fuzzed_is_the_one_that_is_used(made: Fuzz) -> None:
    assert made.judge is is_read_only_command
