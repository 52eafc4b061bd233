"""What a learner does in JupyterLab with mouse and keys, for the tests.

Left out: starting anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, ViewportSize, expect

TALL = 1400
VIEWPORT: ViewportSize = {"width": 1280, "height": 900}
SOON = 20_000
"""Milliseconds in which something happens that needs no computing."""
PATIENCE = 120_000
"""Milliseconds that a slow machine gets before something counts as not happening."""

FAULTS = ", ".join(
    f'.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.{kind}"]'
    for kind in ("error", "stderr")
)

RADIO, CHOICE, BUTTON = ".widget-radio input", ".widget-dropdown select", "button.widget-button"


def wait_until_idle(page: Page) -> None:
    """Wait until the kernel has nothing to do."""
    expect(page.locator("#jp-main-statusbar")).to_contain_text("| Idle", timeout=PATIENCE)


def open_notebook(page: Page, url: str) -> None:
    """Open a notebook and wait for its kernel."""
    page.goto(url, timeout=PATIENCE)
    wait_until_idle(page)


def run_all(page: Page) -> None:
    """Choose "Run All Cells" and wait for the end."""
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    wait_until_idle(page)


def save(page: Page) -> None:
    """Save the notebook, as Ctrl-S does."""
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")


def seen_faults(page: Page) -> list[str]:
    """Return the texts of all error and stderr outputs in the page."""
    return page.locator(FAULTS).all_inner_texts()


def saved_faults(path: Path) -> list[str]:
    """Return what is wrong in the saved file: cells not run, errors, stderr."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    faults = []
    for number, cell in enumerate(cells, start=1):
        if cell["cell_type"] != "code":
            continue
        if cell["execution_count"] is None:
            faults.append(f"cell {number} was not run")
        for output in cell["outputs"]:
            if output["output_type"] == "error" or output.get("name") == "stderr":
                faults.append(f"cell {number}: {output.get('ename', 'stderr')}")
    return faults


def use_widgets(page: Page) -> list[str]:
    """Use the first widget of each kind there is; return what each of them then shows anew.

    Fails if one of them shows nothing new.
    """
    ways: dict[str, Callable[[Locator], object]] = {
        RADIO: lambda widget: widget.check(),
        CHOICE: lambda widget: widget.select_option(index=1),
        BUTTON: lambda widget: widget.click(),
    }
    return [_use(page, kind, act) for kind, act in ways.items() if page.locator(kind).count()]


def _use(page: Page, kind: str, act: Callable[[Locator], object]) -> str:
    # the first of several buttons may be the choice that is shown already
    widget = page.locator(kind).last if kind == BUTTON else page.locator(kind).first
    widget.scroll_into_view_if_needed()
    output = widget.locator("xpath=ancestor::*[contains(@class, 'jp-OutputArea-output')]").first
    before = output.inner_text()
    act(widget)
    expect(output).not_to_have_text(before, timeout=PATIENCE, use_inner_text=True)
    return _added(before, output.inner_text())


def _added(before: str, after: str) -> str:
    known = before.splitlines()
    return "\n".join(line for line in after.splitlines() if line not in known)


def widget_box(page: Page) -> Locator:
    """Return the last output that holds a widget."""
    return page.locator(".jp-OutputArea-output", has=page.locator(".jupyter-widgets")).last


def button(page: Page, name: str) -> Locator:
    """Return the button of a widget that says just this."""
    return page.locator(BUTTON).get_by_text(name, exact=True)


def press(page: Page, name: str) -> None:
    """Click on a button as soon as it can be clicked."""
    button(page, name).click(timeout=PATIENCE)


def press_key(page: Page, name: str, key: str) -> None:
    """Focus a button by keyboard, check that the focus can be seen, and press a key."""
    target = page.get_by_role("button", name=name, exact=True)
    target.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    expect(target).to_be_focused()
    outline = target.evaluate("part => getComputedStyle(part).outline")
    assert "solid 3px" in outline or "3px solid" in outline, outline
    page.keyboard.press(key)


def change_theme(page: Page, name: str) -> None:
    """Switch to the theme *Light* or *Dark*."""
    page.evaluate(
        "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})",
        f"JupyterLab {name}",
    )
    expect(page.locator("body")).to_have_attribute("data-jp-theme-name", f"JupyterLab {name}")
    expect(page.locator("#jupyterlab-splash")).to_have_count(0)


def look_at(page: Page, pictures: Path, name: str, box: Locator | None = None) -> None:
    """Keep screenshots in light and dark at 1024 and 1440 pixels, and check what can be measured.

    Every text of the course's widgets has to reach a contrast of 4.5 in both themes, nothing may be
    cut off at the width of a projector (1280 pixels at 125 %, which is 1024), and whatever can be
    used needs a name.
    """
    faults: list[str] = []
    for theme in ("Light", "Dark"):
        change_theme(page, theme)
        for width in (1024, 1440):
            page.set_viewport_size({"width": width, "height": TALL})
            (box or widget_box(page)).scroll_into_view_if_needed()
            page.screenshot(path=pictures / f"{name}-{theme.lower()}-{width}.png")
            faults += page.evaluate(_MEASURE, f"{theme}, {width} px")
    change_theme(page, "Light")
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
