"""Makes ``.venv``, the environment that the commands run in, with nothing but
the standard library.

The packages come from a lock file, with pip or, where it is installed, with
uv. A stamp in ``.venv`` lists the versions of the lock files that were
installed there, and what they have left in ``site-packages``. It is empty at
first, so a set-up that was interrupted is noticed, and ``.venv`` is made again.
So it is if a package has been removed. A folder without a stamp is not touched.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from contextlib import suppress
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen
from typing import IO

from memlab.errors import MemlabError

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "py -m memlab" if os.name == "nt" else "python3 -m memlab"
VENV = ROOT / ".venv"
PYTHON = str(
    VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
)
STAMP = VENV / "memlab-stamp.txt"
# The lock file of each set of packages. Each set contains the one before.
LOCKS = {
    "light": "requirements-light.lock",
    "course": "requirements.lock",
    "dev": "requirements-dev.lock",
}
# A module of each set that the one before does not have.
SIGNS = {"light": "anthropic", "course": "nbval", "dev": "sphinx"}
# What pip or uv says when it cannot reach the package index.
UNREACHABLE = (
    "(?i)certificate|Max retries|timed out|Failed to fetch|Proxy|dns error"
)


def say(text: str) -> None:
    """Print a line for the person, but not to standard output, which a program
    may read.
    """
    print(f"memlab: {text}", file=sys.stderr, flush=True)


def prepare(packages: str, wheels: Path | None = None) -> str:
    """Return a Python that has the packages ``light``, ``course`` or ``dev``,
    and memlab from this clone.

    It is the running one if that has them, or else the one in ``.venv``, where
    they are installed if necessary: from the folder ``wheels`` if it is given.
    Where memlab was installed without a clone, it has come with the light
    packages. Raises MemlabError if the packages cannot be installed.
    """
    is_clone = (ROOT / LOCKS[packages]).is_file()
    if not is_clone and packages != "light":
        do = "Clone the repository, and run the command in its folder"
        raise MemlabError("this needs a clone of the project", do=do)
    if not is_clone or _is_in_this_python(packages):
        return sys.executable
    with (ROOT / ".venv.lock").open("w") as file:
        _wait_for_others(file)
        stamp = _stamp()
        if _key(packages) not in stamp:
            # a smaller set, which is a part of this one, is only added to
            is_new = not any(_key(each) in stamp for each in LOCKS)
            _install(packages, wheels, is_new)
    return PYTHON


def _is_in_this_python(packages: str) -> bool:
    """Tell whether memlab was installed from this clone here, along with the
    packages.
    """
    ours = f'"{ROOT.as_uri()}"'
    memlabs = distributions(name="memlab")
    is_ours = any(
        ours in (x.read_text("direct_url.json") or "") for x in memlabs
    )
    return is_ours and find_spec(SIGNS[packages]) is not None


def _stamp() -> list[str]:
    """Read what was installed in ``.venv``: nothing if some of it is gone."""
    if not os.path.exists(PYTHON) or not STAMP.exists():
        return []
    stamp = STAMP.read_text("utf-8").splitlines()
    paths = [line for line in stamp if "/" in line]
    gone = [path for path in paths if not (VENV / path).exists()]
    if gone:
        say(f"{gone[0]} is missing from .venv, which is rebuilt")
    return [] if gone else stamp


def _install(packages: str, wheels: Path | None, is_new: bool) -> None:
    if wheels and not any(wheels.glob("*.whl")):
        do = "--wheels names the folder that pip download has filled"
        raise MemlabError("no wheels there", where=wheels.absolute(), do=do)
    uv = shutil.which("uv")
    if is_new:
        _make_venv(uv)
    install = [PYTHON, "-m", "pip", "install", "--no-input", "--no-compile"]
    if uv:
        install = [uv, "pip", "install", "--python", PYTHON]
    if wheels:
        install += ["--no-index", "--find-links", str(wheels)]
    install += ["--no-deps"]  # the lock file lists everything
    lock = ["--require-hashes", "-r", str(ROOT / LOCKS[packages])]
    _run(f"installing the {packages} packages", *install, *lock)
    itself = ["--no-build-isolation", "-e", str(ROOT)]
    _run("installing memlab", *install, *itself)
    sets = list(LOCKS)
    done = [_key(each) for each in sets[: sets.index(packages) + 1]]
    site = next(VENV.glob("[Ll]ib/**/site-packages"))
    names = [path.relative_to(VENV).as_posix() for path in site.iterdir()]
    # a person may upgrade pip, and Python's own folder comes and goes
    done += [name for name in names if not re.search("/(pip|__)", name)]
    STAMP.write_text("\n".join(done), "utf-8")


def _make_venv(uv: str | None) -> None:
    if VENV.exists() and not any(VENV.glob("memlab-stamp.*")):
        do = "Move it away, and run the same command again"
        raise MemlabError("memlab did not make this folder", where=VENV, do=do)
    if not uv and not find_spec("ensurepip"):
        do = "On Debian and Ubuntu: sudo apt install python3-venv"
        raise MemlabError("this Python has no venv module", do=do)
    old = ROOT / ".venv.old"
    shutil.rmtree(old, ignore_errors=True)
    if VENV.exists():
        VENV.rename(old)
        shutil.rmtree(old, ignore_errors=True)
    VENV.mkdir()
    STAMP.write_text("", "utf-8")  # first: whatever stops this, it is ours
    venv = ["-m", "venv", "--without-pip", str(VENV)]
    _run("making .venv", sys.executable, *venv)
    if not uv:
        _run("installing pip", PYTHON, "-m", "ensurepip")


def _run(title: str, *command: str) -> None:
    """Run one step of the set-up and show its progress; raises MemlabError with
    what its output says went wrong.
    """
    say(title)
    # a person's own setting `user = true` does not work in an environment
    env = os.environ | {"PIP_USER": "0"}
    output = ""
    child = Popen(
        command, env=env, stdout=PIPE, stderr=STDOUT, errors="replace"
    )
    for line in child.stdout or ():
        output += line
        if sys.stderr.isatty():  # the next line is written over this one
            print(f"\r  {line.strip()[:76]:76}", end="\r", file=sys.stderr)
    if child.wait() == 0:
        return
    print(output[-4000:], file=sys.stderr)
    if re.search(UNREACHABLE, output):
        what = "no network: the package index was not reached"
        do = "Set HTTPS_PROXY, or PIP_CERT (for uv: SSL_CERT_FILE) if you have to"
        raise MemlabError(what, do=do)
    errors = re.findall(r"(?im)^error.*", output) or output.strip().split("\n")
    raise MemlabError(f"set-up failed: {errors[-1]}")


def _key(packages: str) -> str:
    """Identify what is installed, and for which clone and which Python."""
    lock = (ROOT / LOCKS[packages]).read_bytes()
    place = f"{ROOT} {sys.version_info[:2]}"
    return hashlib.sha256(place.encode() + lock).hexdigest()


def _wait_for_others(file: IO[str]) -> None:
    """Take the lock, which is released when the process ends.

    Windows has no such lock, but no folder there is renamed while it is in use.
    """
    with suppress(ImportError, OSError):  # or a file system without locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another memlab is working on .venv; waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
