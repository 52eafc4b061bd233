from __future__ import annotations

import re
from html import unescape

import pytest

from memlab.course.code_variants import compare_code

SPACES = 'def due(boat):\n    return boat["out"] + 1\n'
TABS = "def due(boat):\n\treturn boat['out'] + 1\n"


def drawn(svg: str) -> str:
    return "".join(re.findall(r"<text[^>]*xml:space[^>]*>([^<]*)</text>", svg)).replace(
        "&#x27;", "'"
    )


def marked(svg: str) -> list[str]:
    found = re.findall(r'<text[^>]*text-decoration="underline">([^<]*)</text>', svg)
    return [unescape(text) for text in found]


def test_white_space_is_visible_and_what_differs_is_marked() -> None:
    svg = compare_code("Two answers", {"without": SPACES, "with": TABS}).svg()
    assert "····return" in drawn(svg)
    assert "→   return" in drawn(svg)
    assert marked(svg) == ["····", '"', '"', "→   ", "'", "'"]


def test_equal_answers_have_nothing_marked() -> None:
    assert not marked(compare_code("Same", {"one": TABS, "two": TABS, "three": TABS}).svg())


def test_a_long_line_goes_on_in_the_next_row_and_nothing_is_lost() -> None:
    long = "x = " + " + ".join(f"name_{n}" for n in range(12))
    svg = compare_code("Long", {"one": long, "two": TABS}).svg()
    assert "↪" in svg
    assert long.replace(" ", "") in drawn(svg).replace("↪", "").replace(" ", "")


def test_the_alternative_text_has_the_code_itself() -> None:
    picture = compare_code("Two answers", {"without": SPACES, "with": TABS})
    assert TABS.strip() in picture.alt
    assert picture._repr_mimebundle_()["text/plain"] == picture.alt


@pytest.mark.parametrize("count", [0, 4])
def test_more_than_three_do_not_fit_beside_each_other(count: int) -> None:
    with pytest.raises(ValueError, match="1 to 3 variants"):
        compare_code("Many", {str(n): TABS for n in range(count)})
