"""Runs a pipeline that was found to read only: without a shell, within some
folders, within limits.

File patterns are expanded here and handed on as ``./name``, so that no file
can pass for an option. ``ls`` and patterns are in the order of bytes; ``find``
and ``grep -r`` take a folder as it comes. Left out: holding on to what was
judged. The programs open files by name, so somebody who can make links in
these folders while a command runs can still lead it elsewhere.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from typing import Any

from memlab.agent.command_git import (
    AFTER_COMMAND,
    BEFORE_COMMAND,
    COMPARES_FILES,
    check_index,
    git_environment,
)
from memlab.agent.command_policy import Argument, Stage, Verdict
from memlab.agent.tool import ToolError
from memlab.memdir.places import STORE_FOLDER
from memlab.settings import Settings

# else -r searches in what was forgotten
_ALWAYS = {"grep": (f"--exclude-dir={STORE_FOLDER}",)}


class ElsewhereError(ToolError):
    """An operand leads to ``real``, where nothing may be read without a yes."""

    def __init__(self, what: str, real: Path, *, do: str) -> None:
        super().__init__(what, do=do)
        self.real = real


@dataclass(frozen=True)
class Limits:
    """What one command may use; ``memory_bytes`` is for each program, and
    holds on Linux only.
    """

    seconds: float = Settings.command_max_seconds
    output_bytes: int = Settings.command_max_output_bytes
    memory_bytes: int = Settings.command_max_memory_bytes
    matches: int = Settings.command_max_matches


def run_read_only(
    verdict: Verdict,
    *,
    cwd: Path,
    roots: Sequence[Path],
    granted: Sequence[Path] = (),
    limits: Limits | None = None,
) -> str:
    """Run what was allowed and give all it prints, complaints too.

    Raises ToolError, before anything is started, if an operand leads out of
    ``roots`` and out of what a person has ``granted``.
    """
    limits = limits or Limits()
    lines = command_lines(
        verdict, cwd=cwd, roots=[*roots, *granted], limits=limits
    )
    with ExitStack() as cleanup:
        environment = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
        git = [one for one in verdict.pipeline if one.program == "git"]
        if git:
            scratch = cleanup.enter_context(_scratch())
            environment |= git_environment(cwd, roots, scratch)
            if any(one.arguments[0].text in COMPARES_FILES for one in git):
                check_index(_program("git"), environment)
        return _run(lines, cwd, environment, limits)


def run_git(
    command: str,
    *options: str,
    cwd: Path,
    roots: Sequence[Path],
    limits: Limits | None = None,
) -> str:
    """Run a reading command of git for memlab itself, with none of the
    repository's configuration, and give what it prints.

    Raises ToolError where git cannot be used.
    """
    line = ["git", *BEFORE_COMMAND, command, *AFTER_COMMAND[command], *options]
    with _scratch() as scratch:
        environment = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
        environment |= git_environment(cwd, roots, scratch)
        printed = _run([line], cwd, environment, limits or Limits())
    if printed.startswith("fatal: "):
        raise ToolError(f"git says: {printed.splitlines()[0]}")
    return printed


@contextmanager
def _scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="memlab-git-") as folder:
        yield Path(folder)


def _run(
    lines: Sequence[Sequence[str]],
    cwd: Path,
    environment: Mapping[str, str],
    limits: Limits,
) -> str:
    """Start the programs of a pipeline and collect what they print."""
    running: list[subprocess.Popen[bytes]] = []
    fixed: dict[str, Any] = {
        "cwd": cwd,
        "env": environment,
        "start_new_session": True,
    }
    programs = [_program(line[0]) for line in lines]
    output, write = os.pipe()
    try:
        with open(write, "wb") as told:
            for program, line in zip(programs, lines, strict=True):
                before = running[-1].stdout if running else None
                ends: dict[str, Any] = {
                    "stdin": before or subprocess.DEVNULL,
                    "stderr": told,
                }
                ends["stdout"] = told if line is lines[-1] else subprocess.PIPE
                running.append(
                    subprocess.Popen(line, executable=program, **ends, **fixed)
                )
                _limit_memory(running[-1].pid, limits.memory_bytes)
                # or the program before would not learn that nobody listens any
                # more
                if before:
                    before.close()
        return _collect(output, limits)
    except OSError as error:
        raise ToolError(f"This cannot be started: {error.strerror}") from error
    finally:
        os.close(output)
        for process in running:
            process.kill()
            process.wait()
            if process.stdout:
                process.stdout.close()


def command_lines(
    verdict: Verdict,
    *,
    cwd: Path,
    roots: Sequence[Path],
    limits: Limits | None = None,
) -> list[list[str]]:
    """Return the words of each program, patterns expanded.

    Raises ElsewhereError for the first operand that leads out of ``roots``.
    """
    if not verdict.allowed:
        raise ToolError(verdict.reason)
    inside = _Inside(
        cwd,
        [os.path.realpath(root) for root in roots],
        (limits or Limits()).matches,
    )
    inside.check("")
    lines = []
    for stage in verdict.pipeline:
        words = [
            word
            for argument in stage.arguments
            for word in inside.words(argument)
        ]
        if stage.program == "git":
            words = words[1:]
        lines.append([*_first_words(stage), *words])
    return lines


def _first_words(stage: Stage) -> list[str]:
    """Return the program and the options that it is always given."""
    if stage.program != "git":
        return [stage.program, *_ALWAYS.get(stage.program, ())]
    command = stage.arguments[0].text
    return ["git", *BEFORE_COMMAND, command, *AFTER_COMMAND[command]]


@dataclass(frozen=True)
class _Inside:
    """The folders in which files may be read, and the one from which names go
    on.
    """

    cwd: Path
    roots: Sequence[str]
    most: int

    def check(self, path: str) -> None:
        real = os.path.realpath(self.cwd / path)
        tops = [top for top in self.roots if Path(real).is_relative_to(top)]
        below = [Path(real).relative_to(top) for top in tops]
        if not below:
            do = (
                "Only files of the project, its memory and its transcripts can"
                " be read"
            )
            raise ElsewhereError(
                f"{path or self.cwd} leads elsewhere", Path(real), do=do
            )
        if STORE_FOLDER in min(below, key=lambda one: len(one.parts)).parts:
            raise ToolError(
                f"{path} is memlab's own record of what memory held before"
            )
        if (
            os.path.exists(real)
            and not os.path.isfile(real)
            and not os.path.isdir(real)
        ):
            raise ToolError(f"{path} is neither a file nor a folder")

    def words(self, argument: Argument) -> list[str]:
        """Return the words one argument becomes; each file it names is looked
        at.
        """
        found = self.expand(argument.glob) if argument.glob else []
        for path in found or (
            [] if argument.path is None else [argument.path]
        ):
            self.check(path)
        return found or [argument.text]

    def expand(self, glob: str) -> list[str]:
        """Find what a pattern fits; every folder is looked at before it is
        listed.
        """
        found = ["/" if glob.startswith("/") else ""]
        for part in glob.lstrip("/").split("/"):
            found = [
                os.path.join(one, name)
                for one in found
                for name in self.fitting(one, part)
            ]
            if len(found) > self.most:
                raise ToolError(
                    f"{glob} fits more than {self.most} files",
                    do="Use find, or Glob",
                )
        there = (path for path in found if os.path.lexists(self.cwd / path))
        return sorted(
            path if re.match(r"/|\.\.?/", path) else f"./{path}"
            for path in there
        )

    def fitting(self, folder: str, part: str) -> list[str]:
        """Name what fits one part of a pattern in a folder; a plain part is
        its own name.
        """
        if not re.search("[*?[]", part):
            return [part]
        self.check(folder)
        fits = re.compile(translate(part.replace("[^", "[!"))).match
        with suppress(OSError):
            names = os.listdir(self.cwd / folder)
            return [
                one
                for one in names
                if fits(one) and one.startswith(".") <= (part[0] == ".")
            ]
        return []


def _program(name: str) -> str:
    """Find a program among those that came with the system, not by the
    person's PATH.
    """
    path = os.confstr("CS_PATH") if os.name == "posix" else None
    if not (path and (found := shutil.which(name, path=path))):
        raise ToolError(
            f"{name} is not on this system", do="Use Read, Grep or Glob"
        )
    return found


def _limit_memory(process: int, most: int) -> None:
    """Limit it from outside: what runs between fork and exec can hang where
    there are threads.
    """
    with suppress(ImportError, OSError):
        from resource import RLIMIT_AS, prlimit  # on Linux only

        prlimit(process, RLIMIT_AS, (most, most))


def _collect(output: int, limits: Limits) -> str:
    """Read until all programs have closed the output, or a limit is met."""
    got, note, end = b"", "", time.monotonic() + limits.seconds
    while not note:
        if not select.select([output], [], [], max(end - time.monotonic(), 0))[
            0
        ]:
            note = f"[stopped after {limits.seconds:g} s: ask for less]"
        elif not (piece := os.read(output, 65_536)):
            break
        elif len(got := got + piece) > limits.output_bytes:
            note = f"[stopped after {limits.output_bytes} bytes: ask for less]"
    text = got[: limits.output_bytes].decode("utf-8", "replace").strip("\n")
    return "\n".join(part for part in (text, note) if part)
