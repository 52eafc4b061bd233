"""A real Chromium for the tests of notebooks, and a folder for screenshots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from memlab.cli.test import find_chromium
from tests.browser.hands import VIEWPORT

PICTURES = Path(__file__).parent / "screenshots"

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def pictures() -> Path:
    """A folder that stays, for people to look into; the CI keeps it, and git ignores it."""
    PICTURES.mkdir(exist_ok=True)
    return PICTURES


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    named = find_chromium()
    assert named, "no Chromium in PATH; CHROMIUM=/path/to/it names one"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=named, args=SWITCHES)
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport=VIEWPORT)
    yield opened
    opened.close()
