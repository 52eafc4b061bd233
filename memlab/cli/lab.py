"""``lab``: the learner's copies are made, then JupyterLab opens on the first of them."""

from __future__ import annotations

import os
import socket
import sys

from memlab.cli import copies
from memlab.cli.setup import interpreter
from memlab.cli.setup.packages import missing
from memlab.cli.setup.place import Clone
from memlab.cli.setup.process import environment, run
from memlab.cli.setup.say import COMMAND, Problem, say
from memlab.cli.setup.server_log import kept_in

LOG = ".jupyterlab.log"
FIRST = "00_start_here.ipynb"
USUAL_PORT = 8888
HOST = "127.0.0.1"
_TRIES = 50


def lab(clone: Clone, *, port: int | None, browser: bool, here: bool, prepare: bool) -> int:
    """Set everything up and start JupyterLab; ``prepare`` stops short of starting it.

    ``port`` None means the usual one, or the next that is free.
    """
    if port is not None and not prepare and not _is_free(port):
        raise Problem(f"port {port} is taken. Try: {COMMAND} lab --port {_free_port(port + 1)}")
    on_a_hub = "JUPYTERHUB_SERVICE_PREFIX" in os.environ
    if on_a_hub and not here and missing(clone, sys.path):
        # A .venv would not help: the hub's JupyterLab starts kernels with the hub's Python.
        raise Problem(
            f"JupyterLab already runs here, on {sys.executable}, which lacks packages that the "
            "course needs. Run: python3 -m pip install -r requirements.txt, and then this command "
            "again"
        )
    chosen = interpreter.prepare(clone, here=here)
    copies.refresh(clone)
    if prepare:
        say(f"ready: {clone.my}")
        return 0
    if on_a_hub:
        say(f"JupyterLab already runs here: open my/{FIRST} in its file list")
        return 0
    port = port or _free_port(USUAL_PORT)
    say(f"starting JupyterLab on port {port} (to stop it: Ctrl-C twice; its log: my/{LOG})")
    with kept_in(clone.my / LOG) as log:
        status = run(
            [chosen.python, "-m", "jupyterlab", *_options(clone, port, browser)],
            cwd=clone.my,
            # The hash seed that the stored outputs were made with: sets print in the same order.
            env=environment(JUPYTER_PREFER_ENV_PATH="1", PYTHONHASHSEED="0"),
            complaints=log.add,
        )
    if status and log.address is None:
        raise Problem(f"JupyterLab did not start. Its output is in {clone.my / LOG}")
    say("JupyterLab has stopped; your notebooks are in my/")
    return status


def _options(clone: Clone, port: int, browser: bool) -> list[str]:
    page = f"/lab/tree/{FIRST}" if (clone.my / FIRST).exists() else "/lab"
    options = [
        f"--ServerApp.root_dir={clone.my}",
        f"--ServerApp.ip={HOST}",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--LabApp.default_url={page}",
        "--log-level=WARN",
    ]
    if not browser:
        options.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # a container; the address is this machine's own
    return options


def _free_port(first: int) -> int:
    for port in range(first, min(first + _TRIES, 65536)):
        if _is_free(port):
            return port
    raise Problem(
        f"no free port from {first} on. Close another JupyterLab, or choose a port with --port N"
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
