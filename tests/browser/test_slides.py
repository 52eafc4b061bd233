"""The slides of every notebook in a real browser: nothing runs over, nothing is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from memlab.course.deck import make_deck
from tests.notebooks.store import find_notebooks

TOO_LARGE = """() => slides
    .map((slide, number) => [number + 1, slide])
    .filter(([_, s]) => s.scrollHeight > s.clientHeight + 1 || s.scrollWidth > s.clientWidth + 1)
    .map(([number]) => number)"""
OUTPUTS_IN_SIGHT = """() => [...document.querySelectorAll(".now section[data-kind=output]")]
    .filter((output) => getComputedStyle(output).visibility === "visible").length"""


@pytest.mark.parametrize("path", find_notebooks(), ids=lambda path: path.stem)
def test_no_slide_is_larger_than_the_screen(browser: Browser, tmp_path: Path, path: Path) -> None:
    deck = tmp_path / "deck.html"
    deck.write_text(make_deck(path), "utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    fetched: list[str] = []
    errors: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(deck.as_uri())
    assert page.evaluate(TOO_LARGE) == []
    assert errors == []
    assert not [url for url in fetched if not url.startswith(("file:", "data:"))]
    page.close()


def test_the_keyboard_is_enough_and_a_question_comes_before_its_answer(
    browser: Browser, tmp_path: Path, pictures: Path
) -> None:
    deck = tmp_path / "deck.html"
    deck.write_text(make_deck(find_notebooks(["00"])[0]), "utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="dark")
    page.goto(deck.as_uri())
    assert page.locator("html").get_attribute("data-theme") == "dark"
    now = page.locator(".slide.now")
    while "what will the agent answer?" not in now.inner_text():
        page.keyboard.press("ArrowRight")
    assert page.evaluate(OUTPUTS_IN_SIGHT) == 0
    assert not page.get_by_text("This time, the agent knows").is_visible()
    page.screenshot(path=pictures / "slides-dark-question.png")
    page.keyboard.press("Space")
    assert page.evaluate(OUTPUTS_IN_SIGHT) == 1
    assert page.get_by_text("This time, the agent knows").is_visible()
    page.keyboard.press("t")
    page.screenshot(path=pictures / "slides-light-answer.png")
    place = page.url
    page.keyboard.press("End")
    page.keyboard.press("Home")
    assert "An agent that forgets".lower() in now.inner_text().lower()
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.goto(place)
    assert page.evaluate("location.hash") == f"#{place.split('#')[1]}"
    page.close()


def test_a_screen_reader_hears_each_slide_and_what_appears_on_it(
    browser: Browser, tmp_path: Path
) -> None:
    deck = tmp_path / "deck.html"
    deck.write_text(make_deck(find_notebooks(["00"])[0]), "utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(deck.as_uri())
    focused = page.locator(":focus")
    assert (focused.get_attribute("aria-label") or "").startswith("Slide 1 of ")
    while focused.get_attribute("aria-label") != "Output":
        before = page.url
        page.keyboard.press("ArrowRight")
        assert page.url != before, "no output got the focus"
    assert focused.is_visible()
    assert page.get_by_role("main").count() == 1
    page.close()
