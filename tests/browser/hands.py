"""What a learner does in JupyterLab with mouse and keys, for the tests."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Locator, Page, ViewportSize, expect

from memlab.cli import lab
from memlab.course.notebook_folder import SLUG

PICTURES = Path(__file__).parent / "screenshots"
"""It stays, for people to look into; the CI keeps it, and git ignores it."""
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
PATIENCE = 120_000
"""Milliseconds that a slow machine gets before something counts as not happening."""
FAULTS = ", ".join(
    f'.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.{kind}"]'
    for kind in ("error", "stderr")
)


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
        shutil.rmtree(self.folder / ".jupyterlab", ignore_errors=True)
        lab.jupyterlab_options(self.folder, self.port)
        address = f"http://127.0.0.1:{self.port}/lab/tree/{quote(name)}.ipynb"
        page.goto(f"{address}?token={self.token}", timeout=PATIENCE)
        idle = expect(page.locator("#jp-main-statusbar"))
        idle.to_contain_text("| Idle", timeout=PATIENCE)
        page.screenshot(path=PICTURES / f"{name}-as-it-opens.png")
        page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
        idle.to_contain_text("| Idle", timeout=PATIENCE)
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
        cells = json.loads((self.folder / f"{name}.ipynb").read_text("utf-8"))["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        outputs = [output for cell in code for output in cell["outputs"]]
        faults = ["not run" for cell in code if cell["execution_count"] is None]
        faults += [str(one) for one in outputs if one["output_type"] == "error"]
        return faults + [str(one) for one in outputs if one.get("name") == "stderr"]


def no_fault_is_seen(page: Page) -> None:
    """Fail with the texts of all error and stderr outputs in the page, if there are any."""
    assert page.locator(FAULTS).all_inner_texts() == []


def press(page: Page, name: str) -> None:
    """Click on a button of a widget that says just this, as soon as it can be clicked."""
    button = page.locator("button.widget-button").get_by_text(name, exact=True)
    button.click(timeout=PATIENCE)


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
            faults += page.evaluate(_MEASURE, f"{theme}, {width} px")
    page.set_viewport_size(VIEWPORT)
    assert not faults, "\n".join(faults)


_MEASURE = """
where => {
  const faults = [];
  const colour = text => {
    const parts = text.match(/[\\d.]+/g).map(Number);
    return text.startsWith('color(srgb') ? parts.map((n, i) => i < 3 ? n * 255 : n) : parts;
  };
  const light = ([r, g, b]) => [r, g, b]
    .map(n => n / 255).map(n => n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4)
    .reduce((sum, n, i) => sum + n * [0.2126, 0.7152, 0.0722][i], 0);
  const background = part => {
    for (let at = part; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  for (const picture of document.querySelectorAll('.jp-RenderedSVG img')) {
    const room = picture.closest('.jp-OutputArea-output').getBoundingClientRect().right;
    if (picture.getBoundingClientRect().right > room) faults.push(`${where}: a picture is cut off`);
  }
  for (const root of document.querySelectorAll('.memlab')) {
    const edge = root.closest('.jp-OutputArea-output').getBoundingClientRect().right + 1;
    for (const part of root.querySelectorAll('*')) {
      if (!part.checkVisibility() || part.tagName === 'STYLE') continue;
      const words = [...part.childNodes].filter(node => node.nodeType === 3)
        .map(node => node.textContent.trim()).join('');
      const name = `${where}: ${part.tagName} ${words.slice(0, 40)}`;
      if (words) {
        const two = [light(colour(getComputedStyle(part).color)), light(background(part))];
        const contrast = (Math.max(...two) + 0.05) / (Math.min(...two) + 0.05);
        if (contrast < 4.5) faults.push(`${name}: contrast ${contrast.toFixed(2)}`);
        if (part.getBoundingClientRect().right > edge) faults.push(`${name}: beyond the edge`);
        const hidden = getComputedStyle(part).overflowX !== 'visible';
        if (hidden && part.tagName !== 'PRE' && part.scrollWidth > part.clientWidth + 1)
          faults.push(`${name}: cut off`);
      }
      if (part.matches('button, input, select, textarea, [role=slider], summary')) {
        const labelled = part.labels && [...part.labels].some(label => label.textContent.trim());
        const named = part.getAttribute('aria-label') || part.getAttribute('title')
          || part.textContent.trim() || part.placeholder;
        if (!labelled && !named) faults.push(`${name}: no name`);
      }
    }
  }
  return faults;
}
"""
