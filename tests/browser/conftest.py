"""A real Chromium for the tests of notebooks, and a folder for pictures of what it shows."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from memlab.cli.test import find_chromium

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
def pictures(request: pytest.FixtureRequest) -> Path:
    """A folder that stays, for a person to look into."""
    folder = Path(tempfile.mkdtemp(prefix="memlab-browser-"))
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\nscreenshots: {folder}")
    return folder


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
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    yield opened
    opened.close()
