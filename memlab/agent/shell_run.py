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
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from threading import Event, Timer

from memlab.agent.shell import Verdict
from memlab.agent.tool import ToolError
from memlab.memdir.places import STORE_FOLDER
from memlab.settings import Settings

MOST_MATCHES = Settings.command_max_matches
_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "TZ": "UTC"}


@dataclass(frozen=True)
class Limits:
    """What one command may use; ``memory_bytes`` is for each program, and
    holds on Linux only.
    """

    seconds: float = Settings.command_max_seconds
    output_bytes: int = Settings.command_max_output_bytes
    memory_bytes: int = Settings.command_max_memory_bytes


def run_read_only(
    verdict: Verdict,
    *,
    cwd: Path,
    roots: Sequence[Path],
    closed: Mapping[Path, str] = {},
    limits: Limits | None = None,
) -> str:
    """Run what was allowed and give all it prints, complaints too.

    Raises ToolError, before anything is started, as ``command_lines`` does.
    """
    limits = limits or Limits()
    lines = command_lines(verdict, cwd=cwd, roots=roots, closed=closed)
    programs = [_program(line[0]) for line in lines]
    running: list[subprocess.Popen[bytes]] = []
    ended = Event()

    def end() -> None:
        ended.set()
        for process in running:
            process.kill()

    timer = Timer(limits.seconds, end)
    output, write = os.pipe()
    with ExitStack() as cleanup, open(output, "rb") as printed:
        try:
            with open(write, "wb") as told:
                for program, line in zip(programs, lines, strict=True):
                    before = running[-1].stdout if running else None
                    process = subprocess.Popen(
                        line,
                        executable=program,
                        cwd=cwd,
                        env=_ENVIRONMENT,
                        start_new_session=True,
                        stdin=before or subprocess.DEVNULL,
                        stdout=told if line is lines[-1] else subprocess.PIPE,
                        stderr=told,
                    )
                    running.append(cleanup.enter_context(process))
                    _limit_memory(process.pid, limits.memory_bytes)
                    # or the program before would not learn that nobody listens
                    # any more
                    if before:
                        before.close()
            timer.start()
            got = printed.read(limits.output_bytes + 1)
            late = ended.is_set()
        except OSError as error:
            what = f"This cannot be started: {error.strerror}"
            raise ToolError(what) from error
        finally:
            timer.cancel()
            end()
    text = got[: limits.output_bytes].decode("utf-8", "replace").strip("\n")
    most = f"{limits.seconds:g} s" if late else f"{limits.output_bytes} bytes"
    if late or len(got) > limits.output_bytes:
        text += f"\n[stopped after {most}: ask for less]"
    return text.strip("\n")


def command_lines(
    verdict: Verdict,
    *,
    cwd: Path,
    roots: Sequence[Path],
    closed: Mapping[Path, str] = {},
) -> list[list[str]]:
    """Return the words of each program, patterns expanded.

    Raises ToolError for an operand that leads out of ``roots``, and for one
    that leads to a ``closed`` folder or around one.
    """
    if not verdict.allowed:
        raise ToolError(verdict.reason)
    reach = _Reach(cwd, roots, closed)
    reach.check("")
    lines = []
    for stage in verdict.pipeline:
        words = [stage.program]
        if stage.program == "grep":  # else -r searches in what was forgotten
            words.append(f"--exclude-dir={STORE_FOLDER}")
        for argument in stage.arguments:
            found = reach.matches(argument.glob) if argument.glob else []
            if not found and argument.path is not None:
                reach.check(argument.path)
            words += found or [argument.text]
        lines.append(words)
    return lines


@dataclass(frozen=True)
class _Reach:
    """Where a command may read, and the folder from which names go on."""

    cwd: Path
    roots: Sequence[Path]
    closed: Mapping[Path, str]

    def check(self, path: str) -> None:
        """Raise ToolError for a path that leads to what may not be read."""
        real = Path(os.path.realpath(self.cwd / path))
        for place, why in self.closed.items():
            if real.is_relative_to(place) or place.is_relative_to(real):
                do = "Use Read, Grep or Glob, which leave it out"
                raise ToolError(f"It could read {place}, and {why}", do=do)
        tops = [Path(os.path.realpath(root)) for root in self.roots]
        inside = [top for top in tops if real.is_relative_to(top)]
        if not inside:
            do = "Only files of the project, its memory and its transcripts can be read"
            raise ToolError(f"{path or self.cwd} leads elsewhere", do=do)
        nearest = max(inside, key=lambda top: len(top.parts))
        if STORE_FOLDER in real.relative_to(nearest).parts:
            what = "is memlab's own record of what memory held before"
            raise ToolError(f"{path} {what}")
        if real.exists() and not (real.is_file() or real.is_dir()):
            raise ToolError(f"{path} is neither a file nor a folder")

    def matches(self, glob: str) -> list[str]:
        """Find the files that a pattern fits; each is looked at, and so is
        every folder before it is listed.
        """
        found = ["/" if glob.startswith("/") else ""]
        for part in glob.lstrip("/").split("/"):
            found = [
                os.path.join(folder, name)
                for folder in found
                for name in self._fitting(folder, part)
            ]
            if len(found) > MOST_MATCHES:
                what = f"{glob} fits more than {MOST_MATCHES} files"
                raise ToolError(what, do="Use find, or Glob")
        found = [path for path in found if os.path.lexists(self.cwd / path)]
        for path in found:
            self.check(path)
        plain = re.compile(r"/|\.\.?/").match
        return sorted(one if plain(one) else f"./{one}" for one in found)

    def _fitting(self, folder: str, part: str) -> list[str]:
        """Name what fits one part of a pattern in a folder; a plain part is
        its own name.
        """
        if not re.search("[*?[]", part):
            return [part]
        self.check(folder)
        fits = re.compile(translate(part.replace("[^", "[!"))).match
        with suppress(OSError):
            names = filter(fits, os.listdir(self.cwd / folder))
            return [one for one in names if one[0] != "." or part[0] == "."]
        return []


def _program(name: str) -> str:
    """Find a program among those that came with the system, not by the
    person's PATH.
    """
    path = os.confstr("CS_PATH") if os.name == "posix" else None
    found = shutil.which(name, path=path) if path else None
    if not found:
        do = "Use Read, Grep or Glob"
        raise ToolError(f"{name} is not on this system", do=do)
    return found


def _limit_memory(process: int, most: int) -> None:
    """Limit it from outside: what runs between fork and exec can hang where
    there are threads.
    """
    with suppress(ImportError, OSError):
        from resource import RLIMIT_AS, prlimit  # on Linux only

        prlimit(process, RLIMIT_AS, (most, most))
