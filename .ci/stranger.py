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
LAB = "python3 -m memlab lab"
# Nothing that only a developer's environment has; the course's own packages neither.
PACKAGES = ("jupyterlab", "anthropic", "hypothesis", "playwright", "nbval")
PRIVATE = re.compile(
    r"PYTHON|MEMLAB_|ANTHROPIC_|JUPYTER|IPYTHON|XDG_|VIRTUAL_ENV|CONDA|PYTEST"
)


def readme_commands(readme: str) -> list[str]:
    """Give the lines of the first ``sh`` block, without their comments."""
    block = re.search(r"(?ms)^```sh\n(.*?)^```", readme)
    lines = re.sub(r"(?m)(^|\s+)#.*", "", block[1] if block else "")
    return [line.strip() for line in lines.splitlines() if line.strip()]


def copy_project(target: Path) -> None:
    """Copy what a clone would contain: the files git knows, and new ones it does not ignore."""
    listing = [
        "git",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]
    listed = subprocess.run(
        listing, cwd=ROOT, capture_output=True, check=True
    ).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def strangers_environment(scratch: Path) -> dict[str, str]:
    """Leave out what belongs to the developer; how to reach the network and the index stays.

    If this machine's Python has some of the packages, a bare one made from it comes first.
    """
    home, active = scratch / "home", os.environ.get("VIRTUAL_ENV")
    home.mkdir()
    env = {
        key: value
        for key, value in os.environ.items()
        if not PRIVATE.match(key)
    }
    env |= {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PYTHONNOUSERSITE": "1",
    }
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    kept = [
        one
        for one in folders
        if not (active and Path(one).is_relative_to(active))
    ]
    env["PATH"] = os.pathsep.join(kept)
    asks = "import sys; from importlib.util import find_spec as has"
    asks += "; print(*filter(has, sys.argv[1:]))"
    command = ["python3", "-c", asks, *PACKAGES]
    ended = subprocess.run(
        command, env=env, cwd=home, capture_output=True, text=True
    )
    if found := ended.stdout.split():
        print(
            f"stranger: python3 has {', '.join(found)}; using a bare one made of it"
        )
        bare = scratch / "bare"
        making = ["python3", "-m", "venv", "--without-pip", str(bare)]
        subprocess.run(making, env=env, check=True)
        env["PATH"] = f"{bare / 'bin'}{os.pathsep}{env['PATH']}"
    return env


def type_in(line: str, clone: Path, env: dict[str, str]) -> int:
    """Run one line in a shell and give its status; if this process is stopped, so is the line."""
    shell = ["sh", "-c", line]
    none = subprocess.DEVNULL
    child = subprocess.Popen(
        shell, cwd=clone, env=env, stdin=none, start_new_session=True
    )
    try:
        return child.wait()
    except KeyboardInterrupt:
        os.killpg(child.pid, signal.SIGTERM)
        child.wait()
        raise


def main() -> int:
    """Run the README's commands in a fresh copy; print seconds and status of each."""
    commands = readme_commands((ROOT / "README.md").read_text("utf-8"))
    if LAB not in commands or len(commands) < 2:
        print(
            f"stranger: README.md's first sh block does not have `{LAB}` and another"
        )
        return 1
    rows: list[tuple[str, int, float]] = []
    # A path with a space and a letter beyond ASCII, as many a home folder has.
    with tempfile.TemporaryDirectory(prefix="stranger ö ") as scratch:
        clone = Path(scratch, "memlab")
        copy_project(clone)
        env = strangers_environment(Path(scratch))
        for command in commands:
            line = f"{command} --prepare" if command == LAB else command
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
