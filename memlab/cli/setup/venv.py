"""A virtual environment on disk: making it, emptying it, and telling what state it is in."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from memlab.cli.setup.diagnosis import diagnose
from memlab.cli.setup.place import Clone, python_in, site_folders
from memlab.cli.setup.process import environment, watch
from memlab.cli.setup.say import DISK_FULL, Activity, Problem
from memlab.cli.setup.stamp import NAME, Stamp, python_version, write_stamp

LAB_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}
}
_FULL_BYTES = 20_000_000  # less than pip itself takes


def make(clone: Clone, wanted: Stamp, reason: str, lock: int) -> None:
    """Make ``.venv`` with pip in it, saying the ``reason``; raises ``Problem``.

    Where this Python cannot provide pip, as on a Debian without python3-venv, uv will do.
    """
    with_pip = _importable("ensurepip")
    if not _importable("venv") or not (with_pip or find_uv()):
        raise _no_venv()
    if runs_in(clone.venv):
        raise Problem(
            "this Python is the one in .venv, which has to be made again. Type 'deactivate' (or "
            "open a new terminal) and run the same command again"
        )
    activity = Activity(f"{reason} (Python {sys.version.split()[0]})")
    clone.venv.mkdir(exist_ok=True)
    write_stamp(clone.venv, replace(wanted, state="making"))
    _empty(clone.venv)
    bare = [] if with_pip else ["--without-pip"]
    argv = [sys.executable, "-m", "venv", "--prompt", "memlab", *bare, str(clone.venv)]
    _child(clone, argv, activity, lock)
    write_stamp(clone.venv, replace(wanted, state="made"))


def find_uv() -> str | None:
    """Give the path of uv; None where only pip is available."""
    return shutil.which("uv")


def add_pip(clone: Clone, lock: int) -> None:
    """Put pip into an environment that was made without it."""
    activity = Activity("installing pip in .venv")
    argv = [str(python_in(clone.venv)), "-m", "ensurepip", "--default-pip"]
    _child(clone, argv, activity, lock)


def runs_in(venv: Path) -> bool:
    """Tell whether the running Python is the one of this environment."""
    return venv.exists() and os.path.samefile(sys.prefix, venv)


def has_pip(venv: Path) -> bool:
    """Tell whether pip is installed in this environment."""
    return any(Path(folder, "pip", "__main__.py").is_file() for folder in site_folders(venv))


def base_of(venv: Path) -> Path:
    """Give the interpreter an environment was made from: without it, its own does not start."""
    try:
        lines = (venv / "pyvenv.cfg").read_text("utf-8").splitlines()
    except OSError:
        return venv / "pyvenv.cfg"
    settings = dict(line.split(" = ", 1) for line in lines if " = " in line)
    return Path(settings.get("executable") or settings.get("home") or venv)


def version_of(python: Path) -> str:
    """Ask an interpreter for its minor version, such as ``3.12``; empty when it does not run."""
    asks = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        answer = subprocess.run([python, "-c", asks], capture_output=True, env=environment())
    except OSError:
        return ""
    return answer.stdout.decode().strip() if answer.returncode == 0 else ""


def quiet_lab(venv: Path) -> None:
    """Keep JupyterLab in this environment from asking to fetch news at its first start."""
    folder = venv / "share" / "jupyter" / "lab" / "settings"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "overrides.json").write_text(json.dumps(LAB_SETTINGS), "utf-8")


def _child(clone: Clone, argv: list[str], activity: Activity, lock: int) -> None:
    ended = watch(
        argv,
        activity,
        lambda line: None,
        cwd=clone.root,
        env=environment(),
        keep_open=(lock,),
    )
    if ended.status:
        # venv hides what its call of ensurepip printed, so a full disk has to be looked up.
        if shutil.disk_usage(clone.root).free < _FULL_BYTES:
            raise Problem(DISK_FULL)
        if "ensurepip is not available" in ended.output or "No module named" in ended.output:
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
        f"this Python has no venv module. On Debian or Ubuntu: sudo apt install python3-venv (or "
        f"python{python_version()}-venv); elsewhere install Python from python.org. Then run this "
        "again"
    )


def _empty(venv: Path) -> None:
    """Remove all but the stamp, which says to the end whose folder this is."""
    for entry in os.scandir(venv):
        if entry.name == NAME:
            continue
        try:
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                os.unlink(entry.path)
        except PermissionError as error:
            raise Problem(
                f"cannot remove {error.filename}: it is in use or belongs to another user. "
                "Close whatever runs from .venv (JupyterLab, a terminal) and run the same command "
                "again"
            ) from None
