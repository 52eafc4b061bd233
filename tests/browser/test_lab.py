"""The notebooks in a real browser: open, run all, use a widget, look for errors."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser import hands
from tests.browser.server import Lab, running_lab
from tests.notebooks.store import METADATA, NOTEBOOKS, find_notebooks

BUTTON = """\
import ipywidgets
button, said = ipywidgets.Button(description="Press"), ipywidgets.Label("not yet")
button.on_click(lambda _: setattr(said, "value", "pressed"))
ipywidgets.VBox([button, said])"""
CHOOSERS = """\
def chooser(kind):
    widget, told = kind(options=["low", "high"], value=None), ipywidgets.HTML("no tide")
    widget.observe(lambda change: setattr(told, "value", f"{change.new} tide"), names="value")
    return ipywidgets.VBox([widget, told])"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    root = tmp_path_factory.mktemp("the course")
    folder = root / "my"
    folder.mkdir()
    if NOTEBOOKS.is_dir():
        shutil.copytree(NOTEBOOKS, folder, dirs_exist_ok=True)
    dropdown, radio = "chooser(ipywidgets.Dropdown)", "chooser(ipywidgets.RadioButtons)"
    write_notebook(folder / "scratch.ipynb", [BUTTON, CHOOSERS, dropdown, radio])
    write_notebook(
        folder / "broken.ipynb", ["import sys\nprint('oh', file=sys.stderr)", "1 / 0", "1"]
    )
    with running_lab(root, tmp_path_factory.mktemp("home")) as running:
        yield running


def write_notebook(path: Path, sources: list[str]) -> None:
    empty: dict[str, object] = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    notebook = {
        "cells": [
            {**empty, "id": f"cell-{number}", "source": text} for number, text in enumerate(sources)
        ],
        "metadata": METADATA,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(notebook), encoding="utf-8")


def test_widgets_answer_and_nothing_goes_wrong(page: Page, lab: Lab, pictures: Path) -> None:
    hands.open_notebook(page, lab.url("scratch.ipynb"))
    hands.run_all(page)
    assert hands.use_widgets(page) == ["low tide", "high tide", "pressed"]
    page.screenshot(path=pictures / "scratch.png")
    assert hands.seen_faults(page) == []
    hands.save(page)
    assert hands.saved_faults(lab.folder / "scratch.ipynb") == []


def test_errors_are_found_in_the_page_and_in_the_file(page: Page, lab: Lab) -> None:
    hands.open_notebook(page, lab.url("broken.ipynb"))
    hands.run_all(page)
    stderr, error = hands.seen_faults(page)
    assert stderr.strip() == "oh"
    assert "ZeroDivisionError" in error
    hands.save(page)
    assert hands.saved_faults(lab.folder / "broken.ipynb") == [
        "cell 1: stderr",
        "cell 2: ZeroDivisionError",
        "cell 3 was not run",
    ]


def test_notebook_00_runs(page: Page, lab: Lab, pictures: Path) -> None:
    (first,) = find_notebooks(["00"])
    name = first.name
    hands.open_notebook(page, lab.url(name))
    page.screenshot(path=pictures / "00-as-it-opens.png")
    hands.run_all(page)
    assert hands.seen_faults(page) == []
    hands.save(page)
    assert hands.saved_faults(lab.folder / name) == []
