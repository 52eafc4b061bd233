from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from memlab.course.chart import (
    FAINT,
    FILLS,
    INK,
    PAPER,
    SMALL,
    WIDTH,
    Picture,
    bars,
    lanes,
    rising_lines,
)

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = {
    "bars": bars("Found", "Words find 7.", [("words", 7, "7"), ("<model>", 9, "9")]),
    "lanes": lanes("Tokens", "Five.", [("usual", [("read", 4, "green"), ("new", 1, "red")])]),
    "lines": rising_lines("Found", "0, then 4.", ["00", "02"], {"found": [0, 4]}),
    "hostile": Picture("<b>", 'say "yes" & <no>', height=100),
}


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_a_picture_is_readable_on_any_page_and_by_a_screen_reader(picture: Picture) -> None:
    tree = ElementTree.fromstring(picture.svg())
    assert (tree.get("role"), tree.get("aria-label")) == ("img", picture.alt)
    assert tree.findtext(f"{SVG}title") == picture.title
    paper = tree.find(f"{SVG}rect")
    assert paper is not None
    assert (paper.get("fill"), paper.get("width")) == (PAPER, str(WIDTH))
    for text in tree.iter(f"{SVG}text"):
        assert int(text.get("font-size", "0")) >= SMALL
        assert text.get("fill") in (INK, FAINT)
        assert 0 <= float(text.get("x", "-1")) <= WIDTH
        assert 0 <= float(text.get("y", "-1")) <= picture.height


@pytest.mark.parametrize("ink", [INK, FAINT])
@pytest.mark.parametrize("fill", [*FILLS.values(), PAPER])
def test_text_has_contrast_on_every_fill(ink: str, fill: str) -> None:
    def light(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert (light(fill) + 0.05) / (light(ink) + 0.05) >= 4.5


def test_below_a_picture_a_notebook_shows_it_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda what, **_: shown.append(what))
    PICTURES["bars"]._ipython_display_()
    drawn, below = shown
    assert drawn["text/plain"] == "Words find 7."
    assert "Words find 7." in below._repr_markdown_()
    assert below._repr_markdown_().startswith("<details>")
