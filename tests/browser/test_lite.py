"""The browser edition (``lite``), built and served as a teacher does it: every cell has to give its
stored output.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from memlab.cli.lite.contents import NOTEBOOKS
from tests.browser.conftest import OTHER_MACHINE
from tests.browser.hands import PATIENCE, VIEWPORT
from tests.notebooks.compare import first_difference, read_replacements
from tests.notebooks.store import NOTEBOOKS as STORED
from tests.notebooks.store import ROOT
from tests.platforms import needs_npm

pytestmark = [pytest.mark.slow, needs_npm]

ADDED = {"lite-notice", "lite-download", "lite-download-cell"}

OPENED = "() => window.jupyterapp?.shell.currentWidget?.content?.model"
RUN_ALL = """() => {
  const app = window.jupyterapp, page = app.shell.currentWidget;
  page.context.ready
    .then(() => page.sessionContext.ready)
    .then(() => app.commands.execute('notebook:run-all-cells'))
    .then(() => { window.ranAll = true; });
}"""
RAN_ALL = "() => window.ranAll"
CELLS = "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lite") / "a browser tab"
    command = [sys.executable, "-m", "memlab", "lite", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert built.returncode == 0, built.stderr
    return folder


@pytest.fixture(scope="module")
def port(site: Path) -> Iterator[int]:
    """Serve the folder with Python's own server, as the command says."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "-b", "127.0.0.1", "-d", str(site)]
    server = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8"
    )
    assert server.stdout is not None
    yield int(server.stdout.readline().split("port ")[1].split()[0])
    server.kill()
    server.wait()


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport=VIEWPORT, accept_downloads=True)
    opened.set_default_timeout(PATIENCE)
    yield opened
    opened.context.close()


def run_notebook(tab: Page, address: str, name: str) -> list[dict[str, Any]]:
    tab.goto(f"{address}/lab/index.html?path={name}.ipynb")
    tab.wait_for_function(OPENED)
    tab.evaluate(RUN_ALL)
    tab.wait_for_function(RAN_ALL)
    cells: list[dict[str, Any]] = tab.evaluate(CELLS)
    return cells


def differences(name: str, cells: list[dict[str, Any]]) -> list[str]:
    """List every cell whose outputs are not the stored ones."""
    stored = json.loads((STORED / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    fresh = {cell["id"]: cell for cell in cells if cell["cell_type"] == "code"}
    found = []
    for cell in stored:
        if cell["cell_type"] != "code" or cell["id"] in NOTEBOOKS[name]:
            continue
        ran = fresh.pop(cell["id"])
        differs = first_difference(
            map(_joined, cell["outputs"]), map(_joined, ran["outputs"]), read_replacements()
        )
        if differs:
            found.append(f"{cell['id']}: {differs}")
    added = {f"{cell}-names" for cell in NOTEBOOKS[name]} | {"lite-download-cell"}
    assert fresh.keys() <= added
    return found


def _joined(output: dict[str, Any]) -> dict[str, Any]:
    """Return an output with each text in one piece: files have lists of lines, pages have not."""
    data = {kind: _text(value) for kind, value in output.get("data", {}).items()}
    more = {"text": _text(output["text"])} if "text" in output else {}
    return {**output, **more, **({"data": data} if data else {})}


def _text(value: Any) -> Any:
    return "".join(value) if isinstance(value, list) else value


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_cell_gives_its_stored_output(
    tab: Page, port: int, name: str, pictures: Path
) -> None:
    asked: set[str] = set()
    tab.on("request", lambda request: asked.add(request.url))
    cells = run_notebook(tab, f"http://127.0.0.1:{port}", name)
    tab.screenshot(path=pictures / f"lite-{name}.png")
    assert differences(name, cells) == []
    here = (f"http://127.0.0.1:{port}/", "data:", "blob:")
    assert [url for url in asked if not url.startswith(here)] == []


def test_the_notice_is_on_screen_and_the_work_can_be_downloaded(
    tab: Page, port: int, tmp_path: Path
) -> None:
    run_notebook(tab, f"http://127.0.0.1:{port}", "00_start_here")
    tab.keyboard.press("Control+Home")
    with tab.expect_download() as waiting:
        tab.get_by_role("link", name="Download memlab-work.zip").click()
    waiting.value.save_as(tmp_path / "work.zip")
    assert "minutes.json" in zipfile.ZipFile(tmp_path / "work.zip").namelist()
    notice = tab.locator(".jp-MarkdownCell").first
    notice.scroll_into_view_if_needed()
    expect(notice).to_contain_text("no second process")
    expect(notice).to_contain_text("no sockets")


def test_it_also_runs_from_another_machine_without_https(tab: Page, port: int) -> None:
    cells = run_notebook(tab, f"http://{OTHER_MACHINE}:{port}", "00_start_here")
    assert not tab.evaluate("isSecureContext")
    assert differences("00_start_here", cells) == []
