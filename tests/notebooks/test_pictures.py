from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mistune
import pytest

from memlab.course.pictures import FAINT, INK, PAPER, SMALL, Picture, bars, rising_lines
from tests.notebooks.pictures import drawings

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
SVG = "{http://www.w3.org/2000/svg}"
MEASURED = {
    "bars": bars("Found", "Words find 7, a chooser 9.", [("words", 7, "7"), ("chooser", 9, "9")]),
    "line": rising_lines("Found", "0, then 4.", ["00", "02"], {"found": [0, 4]}),
}
ALL = {**drawings(NOTEBOOKS), **MEASURED}


@pytest.mark.parametrize("name", ALL)
def test_a_picture_can_be_read_on_any_theme_and_by_a_screen_reader(name: str) -> None:
    picture = ALL[name]
    tree = ElementTree.fromstring(picture.svg())
    assert (tree.get("role"), tree.get("aria-label")) == ("img", picture.alt)
    assert tree.findtext(f"{SVG}title") == picture.title
    paper = tree.find(f"{SVG}rect")
    assert paper is not None
    assert (paper.get("fill"), paper.get("width")) == (PAPER, str(picture.width))
    for text in tree.iter(f"{SVG}text"):
        assert int(text.get("font-size", "0")) >= SMALL
        assert text.get("fill") in (INK, FAINT)
        x, y = float(text.get("x", "-1")), float(text.get("y", "-1"))
        assert 0 <= x <= picture.width
        assert 0 <= y <= picture.height


@pytest.mark.parametrize("ink", [INK, FAINT])
def test_text_has_contrast_on_every_fill(ink: str) -> None:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    svgs = "".join(picture.svg() for picture in ALL.values())
    for fill in set(re.findall(r'fill="(#[0-9A-F]{6})"', svgs)) - {INK, FAINT}:
        assert (light(fill) + 0.05) / (light(ink) + 0.05) >= 4.5, fill


def test_words_stay_inside_their_box() -> None:
    picture = Picture("A title", "One box.", height=200)
    picture.box(10, 50, 90, 80, "words that need more than one line")
    texts = ElementTree.fromstring(picture.svg()).findall(f"{SVG}text")[1:]
    assert len(texts) > 1
    assert " ".join("".join(text.itertext()) for text in texts).startswith("words that")
    assert all(50 < float(text.get("y", "0")) < 130 for text in texts)


def test_what_is_written_in_a_picture_cannot_break_it() -> None:
    picture = Picture("<b>", 'say "yes" & <no>', height=100)
    picture.text(10, 60, "a < b & c")
    tree = ElementTree.fromstring(picture.svg())
    assert tree.get("aria-label") == 'say "yes" & <no>'
    assert picture._repr_mimebundle_()["text/plain"] == 'say "yes" & <no>'


@pytest.mark.parametrize("alt", ["A bar of 5 <files> & one of *9*.", "code:\n\tx = 1 < 2"])
def test_below_a_picture_a_notebook_shows_it_in_words(
    alt: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda what, **_: shown.append(what))
    Picture("Bars", alt, height=100)._ipython_display_()
    drawn, below = shown
    assert drawn["text/plain"] == alt
    assert drawn["image/svg+xml"].startswith("<svg")
    rendered = str(mistune.html(below._repr_markdown_()))
    assert rendered.startswith("<details><summary>The picture in words</summary>")
    words = unescape(re.sub("<.*?>", "", rendered))
    assert " ".join(alt.split()) in " ".join(words.split())


def test_the_stored_pictures_are_what_would_be_drawn_today() -> None:
    wanted = drawings(NOTEBOOKS)
    stored = {path.name for path in (NOTEBOOKS / "images").glob("*.svg")}
    assert stored == {*wanted}, "run: python -m tests.notebooks.pictures"
    for name, picture in wanted.items():
        assert (NOTEBOOKS / "images" / name).read_text(encoding="utf-8") == picture.svg(), name
