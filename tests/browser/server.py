"""A JupyterLab as `lab` starts it: on a free port, with a scratch home and nobody's own settings.

Left out: the browser.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from memlab.cli import lab

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "only-for-this-test"
START_SECONDS = 120

_SETTINGS = {
    # The pop-up about news would lie over the page.
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    # Otherwise cells out of sight are not in the page, and no error would be found in them.
    "notebook-extension/tracker": {"windowingMode": "none"},
}


@dataclass(frozen=True)
class Lab:
    """A running server and the folder that it shows."""

    folder: Path
    port: int
    workspaces: Path

    def url(self, name: str) -> str:
        """Return the address of a notebook, in the workspace of a first start."""
        shutil.rmtree(self.workspaces, ignore_errors=True)
        lab.jupyterlab_options(self.folder, self.port)
        return f"http://127.0.0.1:{self.port}/lab/tree/{quote(name)}?token={TOKEN}"


@contextmanager
def running_lab(root: Path, home: Path) -> Iterator[Lab]:
    """Run JupyterLab on ``root``/my, with ``home`` for all that it keeps; raises RuntimeError."""
    port = _free_port()
    folder, workspaces = root / "my", root / "my" / ".jupyterlab"
    _write_settings(home)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab"),
            # it says that it runs at a level that `lab` does not ask for
            *(one for one in lab.jupyterlab_options(folder, port) if "log_level" not in one),
            "--no-browser",
            f"--IdentityProvider.token={TOKEN}",
            "--LabApp.expose_app_in_browser=True",
        ],
        cwd=folder,
        env=_environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    try:
        _wait_until_it_serves(process)
        yield Lab(folder, port, workspaces)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait_until_it_serves(process: subprocess.Popen[str]) -> None:
    """Read what the server says until it says that it runs; go on reading, or it would block."""
    said: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            said.put(line)
        said.put("")

    threading.Thread(target=listen, daemon=True).start()
    heard: list[str] = []
    while True:
        try:
            line = said.get(timeout=START_SECONDS)
        except queue.Empty:
            raise RuntimeError(f"JupyterLab said nothing more: {''.join(heard)}") from None
        heard.append(line)
        if "is running at" in line:
            return
        if not line:
            raise RuntimeError(f"JupyterLab ended: {''.join(heard)}")


def _write_settings(home: Path) -> None:
    for name, values in _SETTINGS.items():
        path = home / "config/lab/user-settings/@jupyterlab" / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")


def _environment(home: Path) -> dict[str, str]:
    own = {k: v for k, v in os.environ.items() if not k.startswith(("MEMLAB_", "ANTHROPIC_"))}
    own = {k: v for k, v in own.items() if not k.startswith("JUPYTER")}
    return {
        **own,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_PREFER_ENV_PATH": "1",
        "MEMLAB_COURSE_HOME": str(home / "course"),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), own.get("PYTHONPATH")])),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
