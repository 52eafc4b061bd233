"""Does what a stranger does: copies the project to an empty folder and types the README's commands.

    python3 .ci/stranger.py

The home folder is empty, Python has no packages, no setting or environment of the developer is
passed on, and the commands are read from the README, so that it and this check cannot differ.
``lab`` gets ``--prepare``, which does all of its work but the serving. The exit status is 0 only if
every command succeeded.
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
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LAB = "python3 -m memlab lab"
PRIVATE = re.compile(
    r"PYTHON|MEMLAB_|ANTHROPIC_|JUPYTER|IPYTHON|XDG_|VIRTUAL_ENV|CONDA|PYTEST"
)


def readme_commands() -> list[str]:
    """Give the lines of the first ``sh`` block, without their comments."""
    readme = (ROOT / "README.md").read_text("utf-8")
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
    listed = subprocess.check_output(listing, cwd=ROOT, text=True)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def strangers_environment(scratch: Path) -> dict[str, str]:
    """Leave out what belongs to the developer; how to reach the network and the index stays."""
    home, bare = scratch / "home", scratch / "bare"
    home.mkdir()
    venv.create(bare, symlinks=True)
    env = {
        name: text
        for name, text in os.environ.items()
        if not PRIVATE.match(name)
    }
    env |= {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "PYTHONNOUSERSITE": "1",
    }
    return env | {
        "PATH": f"{bare / 'bin'}{os.pathsep}{env.get('PATH', os.defpath)}"
    }


def type_in(line: str, clone: Path, env: dict[str, str]) -> int:
    """Run one line in a shell and give its status; if this process is stopped, so is the line."""
    none, shell = subprocess.DEVNULL, ["sh", "-c", line]
    with subprocess.Popen(
        shell, cwd=clone, env=env, stdin=none, start_new_session=True
    ) as child:
        try:
            return child.wait()
        except KeyboardInterrupt:
            os.killpg(child.pid, signal.SIGTERM)
            raise


def main() -> int:
    """Run the README's commands in a fresh copy; print seconds and status of each."""
    commands = readme_commands()
    if LAB not in commands or len(commands) < 2:
        print(
            f"stranger: README.md's first sh block does not have `{LAB}` and another"
        )
        return 1
    table = [
        "",
        f"{'the README, typed by a stranger':40}{'status':>7}{'seconds':>9}",
    ]
    # A path with a space and a letter beyond ASCII, as many a home folder has.
    with tempfile.TemporaryDirectory(prefix="stranger ö ") as scratch:
        clone = Path(scratch, "memlab")
        copy_project(clone)
        env, status = strangers_environment(Path(scratch)), 0
        for command in commands:
            line = f"{command} --prepare" if command == LAB else command
            print(f"\nstranger$ {line}", flush=True)
            start = time.monotonic()
            status = status or type_in(line, clone, env)
            table.append(f"{line:40}{status:7}{time.monotonic() - start:9.1f}")
    print(*table, sep="\n")
    return int(status != 0)


if __name__ == "__main__":
    # A job in the background has Ctrl-C ignored; and a stop from outside has to clean up as well.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    sys.exit(main())
