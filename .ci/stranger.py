"""Does what a stranger does: copies the project to an empty folder and types the README's commands.

    python3 .ci/stranger.py

The home folder is empty, no setting or environment of the developer is passed on, and the commands
are read from the README, so that it and this check cannot differ. ``lab`` gets ``--prepare``, which
does all of its work but the serving. The exit status is 0 only if every command succeeded.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Nothing that only a developer's environment has; the course's own packages neither.
NOT_A_STRANGERS = (
    "jupyterlab",
    "anthropic",
    "hypothesis",
    "playwright",
    "nbval",
)
PRIVATE = re.compile(
    r"(PYTHON|MEMLAB_|ANTHROPIC_|JUPYTER|IPYTHON|XDG_|VIRTUAL_ENV|CONDA|PYTEST)"
)
LAB = "python3 -m memlab lab"


def readme_commands(readme: str) -> list[str]:
    """Give the lines of the first ``sh`` block, without their comments."""
    block = re.search(r"^```sh\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)
    if block is None:
        return []
    lines = [
        re.sub(r"\s+#.*", "", line).strip() for line in block[1].splitlines()
    ]
    return [line for line in lines if line and not line.startswith("#")]


def to_run(command: str) -> str:
    """Give what is run in place of a command: the same, but ``lab`` stops before it serves."""
    return f"{command} --prepare" if command == LAB else command


def files_of(root: Path) -> list[str]:
    """Name what a clone would contain: the files git knows, and new ones it does not ignore."""
    listing = [
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    names = subprocess.run(
        listing, cwd=root, capture_output=True, check=True
    ).stdout
    paths = [name for name in names.decode().split("\0") if name]
    return [name for name in paths if (root / name).is_file()]


def copy_project(root: Path, target: Path) -> None:
    """Copy the project as a clone would give it; without git, all but what is made in a clone."""
    if not (root / ".git").exists() or shutil.which("git") is None:
        made = shutil.ignore_patterns(
            ".git", ".venv*", "my", "__pycache__", ".*_cache"
        )
        shutil.copytree(root, target, ignore=made)
        return
    for name in files_of(root):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, target / name)


def strangers_environment(home: Path, known: dict[str, str]) -> dict[str, str]:
    """Leave out what belongs to the developer; how to reach the network and the index stays."""
    env = {
        name: value for name, value in known.items() if not PRIVATE.match(name)
    }
    active = known.get("VIRTUAL_ENV")
    folders = known.get("PATH", os.defpath).split(os.pathsep)
    env["PATH"] = os.pathsep.join(
        folder
        for folder in folders
        if not active or not Path(folder).is_relative_to(active)
    )
    return env | {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PYTHONNOUSERSITE": "1",
    }


def already_there(env: dict[str, str], folder: Path) -> list[str]:
    """Name the packages that this Python has, although a stranger's has none of them."""
    asks = "import sys; from importlib.util import find_spec; " + (
        "print(*[name for name in sys.argv[1:] if find_spec(name)])"
    )
    command = ["python3", "-c", asks, *NOT_A_STRANGERS]
    ended = subprocess.run(
        command, env=env, cwd=folder, capture_output=True, encoding="utf-8"
    )
    return ended.stdout.split()


def bare_python(env: dict[str, str], folder: Path) -> dict[str, str]:
    """Put a Python without packages first on the path: this machine's has some."""
    command = ["python3", "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(command, env=env, check=True)
    return env | {"PATH": f"{folder / 'bin'}{os.pathsep}{env['PATH']}"}


def type_in(line: str, clone: Path, env: dict[str, str]) -> int:
    """Run one line in a shell and give its status; if this process is stopped, so is the line."""
    child = subprocess.Popen(
        ["sh", "-c", line],
        cwd=clone,
        env=env,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return child.wait()
    except KeyboardInterrupt:
        os.killpg(child.pid, signal.SIGTERM)
        child.wait()
        raise


def main(root: Path = ROOT) -> int:
    """Run the README's commands in a fresh copy; print seconds and status of each."""
    commands = readme_commands((root / "README.md").read_text("utf-8"))
    if LAB not in commands or len(commands) < 2:
        print(
            f"stranger: README.md's first sh block does not have `{LAB}` and a second command"
        )
        return 1
    rows: list[tuple[str, int, float]] = []
    # A path with a space and a letter beyond ASCII, as many a home folder has.
    with tempfile.TemporaryDirectory(prefix="stranger ö ") as scratch:
        home, clone = Path(scratch, "home"), Path(scratch, "memlab")
        home.mkdir()
        copy_project(root, clone)
        env = strangers_environment(home, dict(os.environ))
        found = already_there(env, home)
        if found:
            print(
                f"stranger: python3 here has {', '.join(found)}; using a bare one made from it"
            )
            env = bare_python(env, Path(scratch, "bare"))
        for command in commands:
            line = to_run(command)
            print(f"\nstranger$ {line}", flush=True)
            start = time.monotonic()
            status = type_in(line, clone, env)
            rows.append((line, status, time.monotonic() - start))
            if status:
                break
    print(
        f"\n{'the README, typed by a stranger':40}{'status':>7}{'seconds':>9}"
    )
    for line, status, seconds in rows:
        print(f"{line:40}{status:7}{seconds:9.1f}")
    return 1 if any(status for _, status, _ in rows) else 0


if __name__ == "__main__":
    # A job in the background has Ctrl-C ignored; and a stop from outside has to clean up as well.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    sys.exit(main())
