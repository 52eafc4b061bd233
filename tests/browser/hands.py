"""What a learner does in JupyterLab with mouse and keys, for the tests."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, ViewportSize, expect

from memlab.course.notebook_folder import SLUG
from tests.notebooks.page import NOTEBOOKS

HERE = Path(__file__).parent
PICTURES = HERE / "screenshots"
"""It stays, for people to look into; the CI keeps it, and git ignores it."""
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
PATIENCE = 120_000
"""Milliseconds that a slow machine gets before something counts as not happening."""
expect.set_options(timeout=PATIENCE)
OUTPUT = '.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.'
FAULTS = f'{OUTPUT}error"], {OUTPUT}stderr"]'


@dataclass(frozen=True)
class Lab:
    """A running server, the folder that it shows, and the home that its kernels write to."""

    folder: Path
    home: Path
    port: int
    token: str = "only-for-this-test"

    def run(self, page: Page, name: str) -> Locator:
        """Open a notebook in the workspace of a first start, choose "Run All Cells", and wait until
        the kernel has nothing to do; gives the last output that holds a widget.
        """
        for workspace in (self.folder / ".jupyterlab").glob("*.jupyterlab-workspace"):
            workspace.unlink()
        shutil.copy(next(NOTEBOOKS.glob(".jupyterlab/*-workspace")), self.folder / ".jupyterlab")
        page.goto(f"http://127.0.0.1:{self.port}/lab/tree/{name}.ipynb?token={self.token}")
        idle = expect(page.locator("#jp-main-statusbar"))
        idle.to_contain_text("| Idle")
        page.screenshot(path=PICTURES / f"{name}-as-it-opens.png")
        page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        idle.to_contain_text("| Idle")
        no_fault_is_seen(page)
        return page.locator(".jp-OutputArea-output", has=page.locator(".jupyter-widgets")).last

    def memories(self, number: int) -> Mapping[str, bytes]:
        """What a notebook has on the disk, whatever the page says."""
        memory = f"course/memlab-*/{number:02d}/.memlab/projects/{SLUG}/memory/*.md"
        found = {path.name: path.read_bytes() for path in self.home.glob(memory)}
        assert found
        return found

    def saved_faults(self, name: str) -> list[str]:
        """Return what is wrong in the saved file: cells not run, errors, stderr."""
        text = (self.folder / f"{name}.ipynb").read_text("utf-8")
        signs = ('"execution_count": null', '"output_type": "error"', '"name": "stderr"')
        return [sign for sign in signs if sign in text]


def no_fault_is_seen(page: Page) -> None:
    """Fail with the texts of all error and stderr outputs in the page, if there are any."""
    assert page.locator(FAULTS).all_inner_texts() == []


def press(page: Page, name: str) -> None:
    """Click on a button of a widget that says just this, as soon as it can be clicked."""
    page.locator("button.widget-button").get_by_text(name, exact=True).click()


def look_at(page: Page, name: str, box: Locator) -> None:
    """Keep screenshots in light and dark at 1024 and 1440 pixels, and check what can be measured.

    Every text of the course's widgets has to reach a contrast of 4.5 in both themes, nothing may be
    cut off at the width of a projector (1280 pixels at 125 %, which is 1024), and whatever can be
    used needs a name.
    """
    faults: list[str] = []
    for theme in ("Dark", "Light"):
        change = "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
        page.evaluate(change, f"JupyterLab {theme}")
        body = expect(page.locator("body"))
        body.to_have_attribute("data-jp-theme-name", f"JupyterLab {theme}")
        expect(page.locator("#jupyterlab-splash")).to_have_count(0)
        for width in (1024, 1440):
            page.set_viewport_size({"width": width, "height": 1400})
            box.scroll_into_view_if_needed()
            page.screenshot(path=PICTURES / f"{name}-{theme.lower()}-{width}.png")
            measure = (HERE / "measure.js").read_text("utf-8")
            faults += page.evaluate(measure, f"{theme}, {width} px")
    page.set_viewport_size(VIEWPORT)
    assert not faults, "\n".join(faults)
