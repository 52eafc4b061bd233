"""Decides which Python a command runs on, and sees to it that it has what the
command needs.

The rule: a Python that already has everything (a hub, Binder, an environment
of the learner's own) is used as it is; any other makes and uses ``.venv``. A
command that needs little makes ``.venv`` with little in it; ``lab`` and
``test`` add the rest there later.
"""

from __future__ import annotations

import os
import site
import sys
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.cli.setup import venv
from memlab.cli.setup.clone import Clone, python_in, site_folders
from memlab.cli.setup.console import Problem, say
from memlab.cli.setup.installer import (
    NoNetwork,
    NothingInstalled,
    find_uv,
    has_pip,
    install,
    install_itself,
)
from memlab.cli.setup.packages import (
    COURSE,
    DEV,
    LIGHT,
    MEMLAB,
    PROFILES,
    Profile,
    lacking,
    lock_file,
    missing,
    python_version,
    wanted,
)
from memlab.cli.setup.venv import (
    Stamp,
    only_one,
    read_stamp,
    stamp_for,
    write_stamp,
)


@dataclass(frozen=True)
class Interpreter:
    """The Python that the tools run on, and the folders its packages are in."""

    python: str
    folders: tuple[str, ...]


def add_environment_options(parser: ArgumentParser) -> None:
    """Add the options of every command that makes the whole environment."""
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--here",
        action="store_true",
        help="use this Python as it is and install nothing",
    )
    either.add_argument(
        "--wheels",
        type=_folder,
        metavar="DIR",
        help="install from this folder of wheels, without a network",
    )


def _folder(text: str) -> Path:
    folder = Path(os.path.abspath(os.path.expanduser(text)))
    if not folder.is_dir():
        raise ArgumentTypeError(f"{text} is not a folder")
    return folder


def prepare(
    clone: Clone,
    extras: tuple[str, ...] = (),
    *,
    here: bool = False,
    wheels: Path | None = None,
) -> Interpreter:
    """Return a Python that has what the course needs, making or repairing
    ``.venv`` if need be.

    With ``("dev",)`` as extras it has the tools of ``test --all`` as well.
    With ``here`` the running Python is used whatever it has, and nothing is
    installed. With ``wheels``, what is missing is installed from that folder.
    """
    profile = DEV if "dev" in extras else COURSE
    if wheels is not None and profile is DEV:
        raise Problem(
            "--wheels has the packages of the course, not the developers'"
            " tools that --all needs. Leave one of the two out"
        )
    this = Interpreter(sys.executable, tuple(sys.path))
    if here:
        names = missing(clone, sys.path, profile)
        note = f"; it lacks {', '.join(names)}" if names else ""
        say(f"using this Python {python_version()} ({sys.executable}){note}")
        return this
    if not venv.runs_in(clone.venv) and not missing(clone, sys.path, profile):
        say(
            f"using this Python {python_version()} ({sys.executable}): it has"
            " everything that is needed"
        )
        return this
    _ensure(clone, stamp_for(clone, "ready", profile), wheels)
    return _ours(clone)


def add_to_hub(clone: Clone) -> None:
    """See that the hub's Python, which runs the kernels, imports memlab from
    this clone.

    The packages are the same for everybody, but the clone is a person's own.
    So memlab alone is installed here, where necessary among the person's own
    packages. Raises ``Problem`` if packages are missing: a .venv would not
    help, because the hub's JupyterLab starts kernels with the hub's Python.
    """
    absent = missing(clone, sys.path)
    if not absent:
        return
    if not {name.split()[0] for name in absent} <= {MEMLAB}:
        raise Problem(
            "JupyterLab is already running here, and the packages have to be"
            f" in its Python. {sys.executable} lacks {', '.join(absent)}. If"
            " JupyterLab runs on another Python, use that one. Otherwise, run:"
            " python3 -m pip install -r requirements.txt, and then this"
            " command again"
        )
    seconds = install_itself(clone)
    # the folder of the person's own packages may be new
    sys.path.append(site.getusersitepackages())
    say(f"installed memlab from {clone.root} for you, in {seconds:.0f} s")


def prepare_light(clone: Clone, only: tuple[str, ...] = ()) -> Interpreter:
    """Return a Python for a command that works without Jupyter; asks before it
    installs anything.

    ``only`` names the packages that the command needs of the light ones; empty
    means all of them. Where nobody is at the terminal, it says what it
    installs and goes on. Raises ``Problem`` when the answer is no.
    """
    needed = [
        requirement
        for requirement in wanted(clone, LIGHT)
        if not only or requirement.name in only
    ]
    if not lacking(needed, sys.path):
        # memlab itself was found by this process, so a child of it finds it
        # too.
        say(f"using this Python {python_version()} ({sys.executable})")
        return Interpreter(sys.executable, tuple(sys.path))
    if not _usable(clone):
        _announce(clone)
        _ensure(clone, stamp_for(clone, "ready", LIGHT))
    return _ours(clone)


def _usable(clone: Clone) -> bool:
    """Tell whether ``.venv`` will do for a light command, even if newer locks
    exist by now.
    """
    stamp = read_stamp(clone.venv)
    return (
        stamp is not None
        and stamp.state == "ready"
        and stamp.fits(stamp_for(clone, "ready", LIGHT))
        and _runs(clone, LIGHT)
    )


def _announce(clone: Clone) -> None:
    """Say what is about to be installed, and ask if there is somebody to
    answer.
    """
    say(
        "this command needs a few packages that this Python does not have:"
        f" about {LIGHT.megabytes} MB in {clone.venv} (without Jupyter)"
    )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    try:
        answer = input("memlab: install them now? [Y/n] ").strip().lower()
    except EOFError:
        answer = "n"
    if answer not in ("", "y", "yes"):
        raise Problem("nothing was installed, and the command did not run")


def _ours(clone: Clone) -> Interpreter:
    say(f"using Python {python_version()} in {clone.venv.name}")
    return Interpreter(
        str(python_in(clone.venv)), tuple(site_folders(clone.venv))
    )


def _ensure(clone: Clone, wanted: Stamp, wheels: Path | None = None) -> None:
    """Make ``.venv`` what the stamp says, unless it is that already; one
    process at a time.
    """
    if _ready(clone, wanted):
        return
    with only_one(clone.guard) as lock:
        if not _ready(clone, wanted):
            _make_ready(clone, wanted, lock, wheels)


def _ready(clone: Clone, wanted: Stamp) -> bool:
    stamp = read_stamp(clone.venv)
    return (
        stamp is not None
        and stamp.covers(wanted)
        and _runs(clone, PROFILES[wanted.profile])
    )


def _runs(clone: Clone, profile: Profile) -> bool:
    """Tell whether the Python in ``.venv`` is there, with all packages of a
    profile.
    """
    return (
        venv.base_of(clone.venv).exists()
        and python_in(clone.venv).exists()
        and not missing(clone, site_folders(clone.venv), profile)
    )


def _make_ready(
    clone: Clone, wanted: Stamp, lock: int, wheels: Path | None
) -> None:
    before = read_stamp(clone.venv)
    if before and before.state == "ready" and wheels is None:
        # What was installed once stays: `lab` after `test --all` keeps the dev
        # packages.
        installed = PROFILES[before.profile]
        if installed.includes(PROFILES[wanted.profile]):
            wanted = replace(wanted, profile=installed.name)
    profile = PROFILES[wanted.profile]
    reason = _why_make(clone.venv, before, wanted)
    if reason is not None:
        venv.make(clone, wanted, reason, lock)
    elif not has_pip(clone.venv) and find_uv() is None:
        venv.add_pip(clone, lock)
    write_stamp(clone.venv, replace(wanted, state="installing"))
    try:
        seconds = install(clone, profile, (lock,), wheels)
    except NoNetwork:
        write_stamp(clone.venv, replace(wanted, state="made"))
        if missing(clone, site_folders(clone.venv), profile):
            raise
        say(
            "no network to look for updates; using the packages that are"
            " installed"
        )
        return
    except NothingInstalled:
        write_stamp(clone.venv, replace(wanted, state="made"))
        raise
    absent = missing(clone, site_folders(clone.venv), profile)
    if absent:
        write_stamp(clone.venv, replace(wanted, state="made"))
        raise Problem(
            f"the lock file {lock_file(clone, profile).name} does not contain"
            f" what pyproject.toml asks for: {', '.join(absent)}. Get both"
            " from the repository again; if you changed pyproject.toml, make"
            " the lock files again, as CONTRIBUTING.md says"
        )
    venv.quiet_lab(clone.venv)
    write_stamp(clone.venv, wanted)
    say(f"installed in {seconds:.0f} s")


def _why_make(folder: Path, stamp: Stamp | None, wanted: Stamp) -> str | None:
    """Say why the environment has to be made (again), or None when it can be
    filled as it is.

    Raises ``Problem`` for a ``.venv`` that is not ours to empty.
    """
    if not os.path.lexists(folder) or (
        folder.is_dir() and not os.listdir(folder)
    ):
        return "making .venv"
    if not folder.is_dir() or (
        stamp is None and not (folder / "pyvenv.cfg").is_file()
    ):
        raise Problem(
            f"{folder} is not a virtual environment. Move it away and run this"
            " again"
        )
    if stamp is not None and stamp.state in ("making", "installing"):
        reason = "the last set-up was interrupted"
    elif stamp is not None and stamp.clone != wanted.clone:
        reason = "the clone has moved"
    else:
        version = venv.version_of(python_in(folder))
        if version == wanted.python:
            return None
        reason = (
            f"it has Python {version}"
            if version
            else "its Python does not run"
        )
    if folder.is_symlink():
        raise Problem(
            f"{folder} is a link, and {reason}. Remove the link and run this"
            " again"
        )
    return f"making .venv again: {reason}"
