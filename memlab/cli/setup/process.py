"""Child processes: one that is watched while it works, one that gets the
terminal.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from memlab.cli.setup.console import STOPPED, Activity

_POLL_SECONDS = 0.2
_GRACE_SECONDS = 5.0


@dataclass(frozen=True)
class Watched:
    """How a watched child ended: exit status and everything it printed."""

    status: int
    output: str


def environment(**more: str) -> dict[str, str]:
    """Return the environment for a child with another interpreter, with
    ``more`` added.
    """
    astray = {"PYTHONHOME", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV"}
    return {
        name: value for name, value in os.environ.items() if name not in astray
    } | more


def watch(
    argv: Sequence[str],
    activity: Activity,
    describe: Callable[[str], str | None],
    *,
    cwd: Path,
    env: Mapping[str, str],
    keep_open: tuple[int, ...] = (),
) -> Watched:
    """Run a child to its end; ``describe`` turns a line of its output into
    what it is doing now.

    ``keep_open`` names descriptors that the child inherits (not on Windows).
    """
    child = subprocess.Popen(
        argv,
        cwd=cwd,
        env=dict(env, PYTHONUNBUFFERED="1", PYTHONIOENCODING="utf-8"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        pass_fds=() if os.name == "nt" else keep_open,
    )
    assert child.stdout is not None
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    threading.Thread(
        target=_read, args=(child.stdout, lines), daemon=True
    ).start()
    output: list[str] = []
    doing = "working"
    try:
        with _ends_with_us(child):
            while (line := _next(lines)) is not None:
                if line:
                    output.append(line)
                    doing = describe(line) or doing
                activity.show(doing)
            child.wait()
    finally:
        activity.clear()
    return Watched(child.returncode, "".join(output))


def run_child(
    argv: Sequence[str],
    *,
    cwd: Path | None,
    env: Mapping[str, str],
    complaints: Callable[[str], None] | None = None,
) -> int:
    """Hand the terminal to a child and give its exit status (130 when Ctrl-C
    or a SIGTERM to this process ended it).

    Ctrl-C reaches the child too, and a SIGTERM is passed on; it is the child
    that decides what to do about it. With ``complaints``, what the child
    writes to standard error is passed to it line by line instead.
    """
    child = subprocess.Popen(
        argv,
        cwd=cwd,
        env=dict(env),
        stderr=subprocess.PIPE if complaints else None,
        encoding="utf-8",
        errors="replace",
    )
    reader = None
    if complaints is not None:
        assert child.stderr is not None
        reader = threading.Thread(
            target=_pass_on, args=(child.stderr, complaints), daemon=True
        )
        reader.start()
    interrupted = False

    def pass_on(*_: object) -> None:
        nonlocal interrupted
        interrupted = True
        child.terminate()

    with _on_termination(pass_on):
        while True:
            try:
                status = child.wait()
                if reader is not None:
                    # a kernel that lives on may keep the pipe open
                    reader.join(_GRACE_SECONDS)
                break
            except KeyboardInterrupt:
                interrupted = True
    return STOPPED if interrupted and status != 0 else status


def _pass_on(stream: IO[str], take: Callable[[str], None]) -> None:
    for line in stream:
        take(line)


def _next(lines: queue.SimpleQueue[str | None]) -> str | None:
    """Return the next line, nothing ("") when none came for a moment, None at
    the end.
    """
    try:
        return lines.get(timeout=_POLL_SECONDS)
    except queue.Empty:
        return ""


def _read(stream: IO[str], lines: queue.SimpleQueue[str | None]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


@contextmanager
def _ends_with_us(child: subprocess.Popen[str]) -> Iterator[None]:
    with _on_termination(signal.default_int_handler):
        try:
            yield
        finally:
            if child.poll() is None:
                child.terminate()
                try:
                    child.wait(_GRACE_SECONDS)
                except subprocess.TimeoutExpired:
                    child.kill()
                    child.wait()


@contextmanager
def _on_termination(
    handler: Callable[[int, FrameType | None], object],
) -> Iterator[None]:
    previous = signal.signal(signal.SIGTERM, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)
