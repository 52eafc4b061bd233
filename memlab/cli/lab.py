"""Copy the notebooks to my/ and open JupyterLab on them.

What is missing is installed in .venv first. A copy that you have is never
overwritten.

examples:
  python3 -m memlab lab                              opens the first notebook you have not passed
  python3 -m memlab lab --port 9000 --no-browser     prints the address only
  python3 -m memlab lab --wheels ../wheels           installs without a network
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memlab.cli.bootstrap import prepare, say
from memlab.cli.commands import command_parser, hand_over
from memlab.cli.reset import MY, NOTEBOOKS, copy_notebooks


def main(argv: Sequence[str]) -> int:
    """Set everything up, and let JupyterLab go on."""
    parser = command_parser("lab", __doc__)
    add = parser.add_argument
    add("--port", type=int, default=8888, help="serve on this port")
    add("--no-browser", action="store_true", help="do not open a browser")
    add("--prepare", action="store_true", help="set up, but start nothing")
    add("--wheels", type=Path, metavar="DIR", help="install from this folder")
    args = parser.parse_args(argv)
    python = prepare("course", args.wheels)
    copy_notebooks()
    if args.prepare:
        say(f"ready: {MY}")
        return 0
    first = first_not_passed()
    command = [python, "-m", "jupyterlab", *jupyterlab_options(MY, args.port)]
    command += [f"--LabApp.default_url=/lab/tree/{first}"]
    if args.no_browser:
        command.append("--no-browser")
    say(f"JupyterLab opens {first}. To stop it, press Ctrl-C twice")
    # the hash seed of the stored outputs: sets print in the same order
    return hand_over(command, PYTHONHASHSEED="0", JUPYTER_PREFER_ENV_PATH="1")


def first_not_passed() -> str:
    """Name the first notebook with a gap that is open; the first of all if
    there is none.
    """
    passed = {part.stem for part in MY.glob("parts/**/*.py")}
    notebooks = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
    first, gaps = notebooks[0], list[str]()
    for notebook in reversed(notebooks):
        checks = re.findall(r'"check\((\w+)\)', notebook.read_text("utf-8"))
        # one without gaps is passed when work on the next one has begun
        gaps = checks or gaps[:1]
        if not passed.issuperset(gaps):
            first = notebook
    return first.name


def jupyterlab_options(folder: Path, port: int) -> list[str]:
    """Give the options with which JupyterLab shows a folder; it takes the next
    free port if this one is taken.

    The folder has a copy of ``notebooks/.jupyterlab``: how JupyterLab differs
    from its defaults, and a workspace whose sidebars are closed, so that
    pictures have room. What a person changes in JupyterLab wins.
    """
    settings = folder / ".jupyterlab"
    return [
        f"--ServerApp.root_dir={folder}",
        f"--ServerApp.port={port}",
        "--ServerApp.ip=127.0.0.1",
        f"--LabApp.app_settings_dir={settings}",
        f"--LabApp.workspaces_dir={settings}",
        "--ServerApp.log_level=ERROR",
        "--LabApp.log_level=ERROR",
        "--allow-root",  # for containers
    ]
