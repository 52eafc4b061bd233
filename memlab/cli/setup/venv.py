"""``.venv`` on disk: its stamp, its lock, how it is made and emptied, and what
state it is in.

The stamp says how far the making got, and for what it was made. It is written
before each stage begins, so that whatever interrupts the work leaves a stamp
that says so. The folder is ours to empty while it carries the stamp.

The lock is one of the operating system, on a file that stays. The system
releases it when its holder dies, so there is no stale lock to clean up. Where
a file system has no locks, nothing is guarded.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Literal

from memlab.cli.setup.clone import Clone, python_in
from memlab.cli.setup.console import DISK_FULL, Activity, Problem
from memlab.cli.setup.installer import diagnose, find_uv
from memlab.cli.setup.packages import (
    PROFILES,
    Profile,
    fingerprint_source,
    python_version,
)
from memlab.cli.setup.process import environment, watch

STAMP = "memlab-stamp.json"
State = Literal["making", "made", "installing", "ready"]

LAB_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
    }
}
_FULL_BYTES = 20_000_000  # less than pip itself takes
_POLL_SECONDS = 0.2
_TAKEN = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}


@dataclass(frozen=True)
class Stamp:
    """One stage of a virtual environment's life."""

    state: State
    clone: str
    python: str
    profile: str
    inputs: str = ""

    def covers(self, other: Stamp) -> bool:
        """Tell whether this stamp promises at least what ``other`` asks for."""
        same = (
            self.state == other.state
            and self.fits(other)
            and self.inputs == other.inputs
        )
        return same and PROFILES[self.profile].includes(
            PROFILES[other.profile]
        )

    def fits(self, other: Stamp) -> bool:
        """Tell whether both speak of one folder and one Python version."""
        return (self.clone, self.python) == (other.clone, other.python)


def stamp_for(clone: Clone, state: State, profile: Profile) -> Stamp:
    """Make the stamp that this clone and this Python call for."""
    inputs = hashlib.sha256(fingerprint_source(clone).encode()).hexdigest()
    return Stamp(
        state, str(clone.root), python_version(), profile.name, inputs
    )


def read_stamp(venv: Path) -> Stamp | None:
    """Read a folder's stamp; None when it has none, or one that says nothing."""
    try:
        fields = json.loads((venv / STAMP).read_text("utf-8"))
        stamp = Stamp(**fields)
    except (OSError, ValueError, TypeError):
        return None
    return stamp if stamp.profile in PROFILES else None


def write_stamp(venv: Path, stamp: Stamp) -> None:
    """Replace the folder's stamp, all of it or nothing."""
    fresh = venv / f"{STAMP}.new"
    fresh.write_text(json.dumps(asdict(stamp)), "utf-8")
    os.replace(fresh, venv / STAMP)


@contextmanager
def only_one(guard: Path) -> Iterator[int]:
    """Hold the lock on ``guard``; gives its descriptor.

    A child process that inherits the descriptor keeps the lock for as long as
    it runs, even when this process is killed: nobody else starts on ``.venv``
    while an orphaned pip writes there.
    """
    descriptor = os.open(guard, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _wait_for(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def make(clone: Clone, wanted: Stamp, reason: str, lock: int) -> None:
    """Make ``.venv`` with pip in it, saying the ``reason``; raises
    ``Problem``.

    Where this Python cannot provide pip, as on a Debian without python3-venv,
    uv will do.
    """
    with_pip = _importable("ensurepip")
    if not _importable("venv") or not (with_pip or find_uv()):
        raise _no_venv()
    if runs_in(clone.venv):
        raise Problem(
            "this Python is the one in .venv, which has to be made again. Type"
            " 'deactivate' (or open a new terminal) and run the same command"
            " again"
        )
    activity = Activity(f"{reason} (Python {sys.version.split()[0]})")
    clone.venv.mkdir(exist_ok=True)
    write_stamp(clone.venv, replace(wanted, state="making"))
    _empty(clone.venv)
    bare = [] if with_pip else ["--without-pip"]
    argv = [
        sys.executable,
        "-m",
        "venv",
        "--prompt",
        "memlab",
        *bare,
        str(clone.venv),
    ]
    _child(clone, argv, activity, lock)
    write_stamp(clone.venv, replace(wanted, state="made"))


def add_pip(clone: Clone, lock: int) -> None:
    """Put pip into an environment that was made without it."""
    activity = Activity("installing pip in .venv")
    argv = [str(python_in(clone.venv)), "-m", "ensurepip", "--default-pip"]
    _child(clone, argv, activity, lock)


def runs_in(venv: Path) -> bool:
    """Tell whether the running Python is the one of this environment."""
    return venv.exists() and os.path.samefile(sys.prefix, venv)


def base_of(venv: Path) -> Path:
    """Return the interpreter an environment was made from: without it, its own
    does not start.
    """
    try:
        lines = (venv / "pyvenv.cfg").read_text("utf-8").splitlines()
    except OSError:
        return venv / "pyvenv.cfg"
    settings = dict(line.split(" = ", 1) for line in lines if " = " in line)
    return Path(settings.get("executable") or settings.get("home") or venv)


def version_of(python: Path) -> str:
    """Ask an interpreter for its minor version, such as ``3.12``; empty when
    it does not run.
    """
    asks = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run(
            [python, "-c", asks], capture_output=True, env=environment()
        )
    except OSError:
        return ""
    return answer.stdout.decode().strip() if answer.returncode == 0 else ""


def quiet_lab(venv: Path) -> None:
    """Keep JupyterLab in this environment from asking to fetch news at its
    first start.
    """
    folder = venv / "share" / "jupyter" / "lab" / "settings"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "overrides.json").write_text(json.dumps(LAB_SETTINGS), "utf-8")


def _child(
    clone: Clone, argv: list[str], activity: Activity, lock: int
) -> None:
    ended = watch(
        argv,
        activity,
        lambda line: None,
        cwd=clone.root,
        env=environment(),
        keep_open=(lock,),
    )
    if ended.status:
        # venv hides what its call of ensurepip printed, so a full disk has to
        # be looked up.
        if shutil.disk_usage(clone.root).free < _FULL_BYTES:
            raise Problem(DISK_FULL)
        if (
            "ensurepip is not available" in ended.output
            or "No module named" in ended.output
        ):
            raise _no_venv()
        raise diagnose(ended.output)


def _importable(module: str) -> bool:
    try:
        import_module(module)
    except ImportError:
        return False
    return True


def _no_venv() -> Problem:
    return Problem(
        "this Python has no venv module. On Debian or Ubuntu: sudo apt"
        f" install python3-venv (or python{python_version()}-venv); elsewhere"
        " install Python from python.org. Then run this again"
    )


def _empty(venv: Path) -> None:
    """Remove all but the stamp, which says to the end whose folder this is."""
    for entry in os.scandir(venv):
        if entry.name == STAMP:
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
        except PermissionError as error:
            raise Problem(
                f"cannot remove {error.filename}: it is in use or belongs to"
                " another user. Close whatever runs from .venv (JupyterLab, a"
                " terminal) and run the same command again"
            ) from None


def _wait_for(descriptor: int) -> None:
    if _take(descriptor):
        return
    waiting = Activity("another memlab is working on .venv; waiting for it")
    try:
        while not _take(descriptor):
            waiting.show("still waiting")
            time.sleep(_POLL_SECONDS)
    finally:
        waiting.clear()


def _take(descriptor: int) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True
