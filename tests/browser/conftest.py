"""A real Chromium, and a JupyterLab as `lab` starts it: with a home of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, sync_playwright

from memlab.cli import lab
from tests.browser.hands import PATIENCE, VIEWPORT, Lab
from tests.notebooks.page import NOTEBOOKS, ROOT
from tests.notebooks.store import METADATA

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SWITCHES = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync
    --disable-background-networking --disable-component-update"""
CELLS = {
    "chat": [
        "from memlab.course import Conversation, begin, harness_for\n\nlab = begin(8)",
        "Conversation(lab, lambda **more: harness_for(lab, dreams=False, **more))",
    ],
    "dials": ["from memlab.course import dials", "dials()"],
    "review": ["from memlab.course import begin, review\n\nlab = begin(11)", "review(lab)"],
    "figures": ["from memlab.course import bars", "bars('One', 'One.', [('naive', 36, '36')])"],
}


@pytest.fixture(scope="session")
def context() -> Iterator[BrowserContext]:
    """One for all, so that JupyterLab's scripts are loaded once: $CHROMIUM, or one on the PATH."""
    found = next(filter(None, [os.environ.get("CHROMIUM"), *map(shutil.which, CHROMIUMS)]), None)
    assert found, "no Chromium in PATH; CHROMIUM=/path/to/it names one"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=SWITCHES.split())
        made = launched.new_context(viewport=VIEWPORT)
        made.set_default_timeout(PATIENCE)
        yield made
        launched.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    with context.new_page() as opened:
        yield opened


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A server on a free port, for a folder with notebook 00 and one for each widget."""
    folder, home = tmp_path_factory.mktemp("the course") / "my", tmp_path_factory.mktemp("home")
    shutil.copytree(NOTEBOOKS, folder)
    for name, sources in CELLS.items():
        empty = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
        cells = [{**empty, "id": f"cell-{n}", "source": text} for n, text in enumerate(sources)]
        whole = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}
        (folder / f"{name}.ipynb").write_text(json.dumps(whole), encoding="utf-8")
    # otherwise cells out of sight are not in the page, and no error would be found in them
    overrides = folder / ".jupyterlab" / "overrides.json"
    settings = json.loads(overrides.read_text("utf-8"))
    settings["@jupyterlab/notebook-extension:tracker"] = {"windowingMode": "none"}
    overrides.write_text(json.dumps(settings), "utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        lab_here = Lab(folder, home, probe.getsockname()[1])
    # it says that it runs at a level that `lab` does not ask for
    options = [x for x in lab.jupyterlab_options(folder, lab_here.port) if "log_level" not in x]
    options += ["--no-browser", f"--IdentityProvider.token={lab_here.token}"]
    prefixes = ("MEMLAB_", "ANTHROPIC_", "JUPYTER")
    env = {name: value for name, value in os.environ.items() if not name.startswith(prefixes)}
    env |= {f"JUPYTER_{one.upper()}_DIR": f"{home}/{one}" for one in ("config", "data", "runtime")}
    env |= {"HOME": str(home), "USERPROFILE": str(home), "JUPYTER_PREFER_ENV_PATH": "1"}
    env |= {"MEMLAB_COURSE_HOME": f"{home}/course", "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "jupyterlab", *options, "--LabApp.expose_app_in_browser=True"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    process = subprocess.Popen(command, cwd=folder, env=env, errors="replace", **pipes)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            print(line, end="")  # for whoever has to find out why it has ended
            if "is running at" in line:
                break
        # go on reading, or it would block
        threading.Thread(target=process.stdout.read, daemon=True).start()
        yield lab_here
    finally:
        process.terminate()
        process.wait(20)
