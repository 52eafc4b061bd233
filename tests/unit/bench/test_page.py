from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from memlab.bench.page import report_page
from memlab.bench.pictures import DARK, LIGHT, as_image, correct_picture
from memlab.bench.report import make_report
from tests.unit.bench.helpers import flips, run
from tests.unit.bench.test_report import HOSTILE, hostile_report

pytestmark = pytest.mark.usefixtures("rough_figures")

TAGS = (
    "html head meta title style body main h1 h2 h3 h4 p div figure figcaption svg text rect line"
    " circle table thead tbody tr th td details summary article pre ins del"
)
ATTRIBUTES = (
    "lang charset http-equiv content name class xmlns width height role aria-label"
    " aria-labelledby tabindex id x y x1 y1 x2 y2 cx cy r scope open"
)


class Read(HTMLParser):
    """What a browser would make of a page: its elements, in order, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for each, attributes in self.elements if each == tag]


@cache
def page(fixed: int = 21, regressed: int = 9, of: int = 40) -> str:
    return report_page(make_report(flips(fixed, regressed, of), "base", means_correct="all."))


def test_hostile_output_stays_text() -> None:
    source = report_page(hostile_report())
    read = Read(source)
    assert {tag for tag, _ in read.elements} <= set(TAGS.split())
    assert {name for _, each in read.elements for name in each} <= set(ATTRIBUTES.split())
    assert "</pre><script>alert(1)</script>" in read.text, "it is shown, and does nothing"
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", source)
    source.encode("utf-8")


def test_the_policy_allows_the_pages_own_style_and_nothing_else() -> None:
    source = page()
    (style,) = re.findall("<style>(.*?)</style>", source, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policies = [each["content"] for each in Read(source).all("meta") if "http-equiv" in each]
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    ]
    assert "url(" not in style
    assert "@import" not in style
    assert "://" not in source.replace("http://www.w3.org/2000/svg", "")


def test_regressed_is_open_the_rest_closed_and_the_unchanged_counted() -> None:
    cases = {"worse": "++ --", "better": "-- ++", "bad": "+- --", "good": "++ ++"}
    source = report_page(make_report(run(cases), "base", means_correct="all."))
    folds = re.findall(r"<details( open)?><summary>(\w+)", source)
    assert folds == [
        (" open", "Regressed"),
        ("", "Fixed"),
        ("", "Still"),
        ("", "Flickering"),
    ]
    text = Read(source).text
    assert "base said this about worse" in text
    assert "mine said this about worse" in text
    assert "left out b.md" in text
    assert "0 of 2 correct (wrong, wrong)" in text
    assert "Still correct (1)" in text
    assert "said this about good" not in text


def test_every_picture_is_valid_and_says_its_figures_to_a_screen_reader() -> None:
    pictures = re.findall("<figure>.*?(<svg.*</svg>)</figure>", page())
    described = [ElementTree.fromstring(each).attrib["aria-label"] for each in pictures]
    assert [each.split(".")[0] for each in described] == [
        "Correct, with 95 % intervals",
        "Difference in correct, with 95 % intervals",
        "Where the cases went",
        "Tokens",
    ]
    correct, difference, cases, tokens = described
    assert "base: 47.5 %" in correct
    assert "mine: +30.0 points: better, from +2.5 points to +55.0 points" in difference
    assert "9 regressed. 0 still failing. 10 unchanged. 21 fixed" in cases
    assert "16,000 in, 400 out, 4,000 uncached" in tokens


@pytest.mark.parametrize(
    ("fixed", "regressed", "of", "pictures", "words"),
    [
        (21, 9, 40, 4, "or outside them"),
        (3, 2, 40, 4, "Too few to show a difference"),
        (0, 0, 40, 4, "None."),
        (6, 0, 19, 3, "6 fixed"),
    ],
)
def test_the_pictures_claim_no_more_than_the_verdict(
    fixed: int, regressed: int, of: int, pictures: int, words: str
) -> None:
    source = page(fixed, regressed, of)
    assert source.count("<figure>") == pictures
    assert words in Read(source).text
    assert ('class="bound"' in source) is (fixed == 21)


def test_a_hostile_name_is_safe_in_a_picture_of_its_own() -> None:
    image = as_image(correct_picture(hostile_report().rows))
    root = ElementTree.fromstring(image)
    assert root.attrib["width"] == "640"
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    assert HOSTILE not in image


def test_the_page_without_a_comparison_says_so() -> None:
    source = report_page(make_report(run({"a": "+"}, "base"), "base", means_correct="all."))
    assert "There is nothing to compare yet." in source


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_words_are_readable_in_light_and_dark(colours: str) -> None:
    table = dict(re.findall(r"--(\w+): (#\w{6})", colours))
    for words in ("ink", "faint", "good", "bad"):
        for paper in ("paper", "card", "code"):
            assert contrast(table[words], table[paper]) >= 4.5, (words, paper)
    for mark in ("mark", "rule", "t1", "t2", "t4"):
        assert contrast(table[mark], table["card"]) >= 3, mark


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
