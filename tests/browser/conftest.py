"""A real Chromium for the tests of notebooks, and a folder for screenshots."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.hands import VIEWPORT

PICTURES = Path(__file__).parent / "screenshots"

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """Return the path of a Chromium: $CHROMIUM, else one on the PATH, else playwright's own."""
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found:
        return found
    browsers = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or "~/.cache/ms-playwright")
    programs = sorted(browsers.expanduser().glob("chromium-*/chrome-linux*/chrome"))
    return str(programs[-1]) if programs else None


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
