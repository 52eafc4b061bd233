"""``lab``: the learner's copies are made, then JupyterLab opens on the first
of them.

All that JupyterLab logs goes to a file, and only what a person needs to the
terminal: real errors and, as the last line, the server's address. Warnings such as
"Kernel is running over TCP" and what kernels print are not shown.
"""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from memlab.cli.reset import refresh
from memlab.cli.setup.clone import Clone
from memlab.cli.setup.console import COMMAND, Activity, Problem, say
from memlab.cli.setup.interpreter import (
    add_environment_options,
    add_to_hub,
    prepare,
)
from memlab.cli.setup.process import environment, run_child

LOG = ".jupyterlab.log"
FIRST = "00_start_here.ipynb"
USUAL_PORT = 8888
HOST = "127.0.0.1"
_TRIES = 50
WORKSPACES, SETTINGS = ".workspaces", ".jupyterlab"
_SIDEBARS = {
    "main": {"dock": None},
    "left": {"collapsed": True},
    "right": {"collapsed": True},
}
_WORKSPACE = {
    "data": {"layout-restorer:data": _SIDEBARS},
    "metadata": {"id": "default"},
}
_OVERRIDES = {
    "@jupyterlab/docmanager-extension:plugin": {
        "defaultViewers": {"markdown": "Markdown Preview"}
    },
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
}
# "[W 2026-01-31 12:00:00.000 ServerApp] Notebook x.ipynb is not trusted"
_RECORD = re.compile(r"\[([A-Z]) [^\]]*\]\s*(.*)")
_ADDRESS = re.compile(r"https?://\S+")
_ENDING = re.compile(
    r"Shutting down|Shutdown confirmed|received signal", re.IGNORECASE
)


def add_options(parser: ArgumentParser) -> None:
    """Describe the options of ``lab``."""
    parser.add_argument(
        "--port",
        type=_port,
        metavar="N",
        help="serve on this port (default: the first free one from 8888 upwards)",
    )
    parser.add_argument(
        "--no-browser",
        action="store_true",
        help="print the address, but do not open a browser",
    )
    parser.add_argument(
        "--prepare",
        action="store_true",
        help="set everything up, but do not start JupyterLab",
    )
    add_environment_options(parser)


def run(clone: Clone, args: Namespace) -> int:
    """Set everything up and start JupyterLab; with ``--prepare``, do not start
    it.
    """
    port: int | None = args.port
    if port is not None and not args.prepare and not _is_free(port):
        raise Problem(
            f"port {port} is taken. Try: {COMMAND} lab --port"
            f" {_free_port(port + 1)}"
        )
    on_a_hub = "JUPYTERHUB_SERVICE_PREFIX" in os.environ
    if on_a_hub and not args.here:
        add_to_hub(clone)
    chosen = prepare(clone, here=args.here, wheels=args.wheels)
    refresh(clone)
    if args.prepare:
        say(f"ready: {clone.my}")
        return 0
    if on_a_hub:
        say(f"JupyterLab is already running: open my/{FIRST} in its file list")
        return 0
    port = port or _free_port(USUAL_PORT)
    options = _options(clone, port, browser=not args.no_browser)
    arrange_jupyterlab(clone)
    say(f"to stop JupyterLab, press Ctrl-C twice; its log is my/{LOG}")
    with kept_in(clone.my / LOG) as log, log.progress():
        status = run_child(
            [chosen.python, "-m", "jupyterlab", *options],
            cwd=clone.my,
            env=environment(
                **({"PYTHONPATH": _with_clone(clone)} if args.here else {}),
                JUPYTER_PREFER_ENV_PATH="1",
                JUPYTERLAB_WORKSPACES_DIR=str(clone.my / WORKSPACES),
                # The hash seed that the stored outputs were made with: sets
                # print in the same order.
                PYTHONHASHSEED="0",
            ),
            complaints=log.add,
        )
    if status and log.address is None:
        raise Problem(
            f"JupyterLab did not start. Its output is in {clone.my / LOG}"
        )
    say("JupyterLab has stopped; your notebooks are in my/")
    return status


def arrange_jupyterlab(clone: Clone) -> None:
    """Have JupyterLab open with its sidebar closed, and show Markdown files as
    pages.

    Both are defaults: a learner's own settings count more, and a workspace
    that exists is left as it is, so that the tabs of last time come back.
    """
    workspace = clone.my / WORKSPACES / "default-37a8.jupyterlab-workspace"
    settings = clone.my / SETTINGS / "overrides.json"
    for path, content in ((workspace, _WORKSPACE), (settings, _OVERRIDES)):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content, indent=1), "utf-8")


class ServerLog:
    """Takes the log line by line; ``address`` is None until the server has
    said where it is.
    """

    def __init__(self, file: TextIO) -> None:
        self.address: str | None = None
        self._waiting = threading.Lock()
        self._ended = threading.Event()
        self._activity: Activity | None = None
        self._file = file
        # a Python that cannot even start JupyterLab says so without a record
        self._shown = True
        self._in_banner = False

    @contextmanager
    def progress(self) -> Iterator[None]:
        """Show how long JupyterLab has been starting, until its address is
        there or it has ended.
        """
        self._activity = Activity("starting JupyterLab")
        ticking = threading.Thread(target=self._tick, daemon=True)
        ticking.start()
        try:
            yield
        finally:
            self._end_progress()
            ticking.join()

    def _tick(self) -> None:
        while not self._ended.wait(0.2):
            with self._waiting:
                if self._activity and not self._ended.is_set():
                    self._activity.show("starting JupyterLab")

    def _end_progress(self) -> None:
        self._ended.set()
        with self._waiting:
            if self._activity:
                self._activity.clear()

    def add(self, line: str) -> None:
        """Keep one line, and show it if it belongs to an error."""
        self._file.write(line)
        self._file.flush()
        record = _RECORD.match(line)
        if record:
            self._begin_record(record[1], record[2].strip())
        if self._in_banner:
            self._look_for_address(line)
        elif self._shown:
            self._end_progress()
            print(line.rstrip("\n"), flush=True)

    def _begin_record(self, level: str, message: str) -> None:
        # The banner with the address is a critical record whose first line is
        # empty.
        self._in_banner = level == "C" and not message
        self._shown = level == "E" or (
            level == "C" and not _ENDING.search(message)
        )

    def _look_for_address(self, line: str) -> None:
        found = _ADDRESS.search(line)
        if not found:
            return
        self._in_banner = False
        self._shown = False
        if self.address is None:
            self.address = found[0]
            self._end_progress()
            print(self.address, flush=True)


@contextmanager
def kept_in(path: Path) -> Iterator[ServerLog]:
    """Return a log that is kept in a file of its owner's only: it contains the
    server's token.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
        yield ServerLog(file)


def _with_clone(clone: Clone) -> str:
    """Return the search path with the clone in front: the Python that was
    chosen with ``--here`` may not have memlab.
    """
    old = os.environ.get("PYTHONPATH", "")
    return os.pathsep.join(filter(None, [str(clone.root), old]))


def _options(clone: Clone, port: int, *, browser: bool) -> list[str]:
    page = f"/lab/tree/{FIRST}" if (clone.my / FIRST).exists() else "/lab"
    options = [
        f"--ServerApp.root_dir={clone.my}",
        f"--ServerApp.ip={HOST}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--LabApp.default_url={page}",
        f"--LabApp.app_settings_dir={clone.my / SETTINGS}",
        "--log-level=WARN",
    ]
    if not browser:
        options.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        # a container; the address is this machine's own
        options.append("--allow-root")
    return options


def _free_port(first: int) -> int:
    for port in range(first, min(first + _TRIES, 65536)):
        if _is_free(port):
            return port
    raise Problem(
        f"no port from {first} upwards is free. Close another JupyterLab, or"
        " choose a port with --port N"
    )


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        if os.name != "nt":  # there it would allow two servers on one port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65536:
        raise ArgumentTypeError(
            f"{text!r} is not a port; choose a number from 1 to 65535"
        )
    return int(text)
