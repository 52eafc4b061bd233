"""What a notebook shows of a memory is text, whatever the memory says."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from memlab.course.widgets.microscope import Microscope
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from memlab.course.display import literal, table
from memlab.recall import RecallReport, Selection

HOSTILE = [
    '<img src="http://evil.example/x.png">',
    "![a picture](http://evil.example/x.png)",
    "![a picture][ref]",
    "[click here](http://evil.example/)",
    "<script>alert(1)</script>",
    "<a href='http://evil.example'>x</a>",
    "<http://evil.example/>",
    "\\<img src=x>",
    "\\![x](y)",
    "a | <b>b</b> | c",
    "`code` **bold** *em* _em_ __strong__ ~~gone~~",
    "$x^2$ and $$y$$",
    "&lt;img&gt; &#60;b&#62; &amp;",
    "~/a~ and x~/y~/z and ~/home",
    "snake_case stays, C:\\dir\\file too",
]


class Seen(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("cell", HOSTILE)
def test_a_cell_is_shown_literally(cell: str) -> None:
    seen = Seen(markdown2html_mistune(table([["file.md", cell]], ["file", "says"]).markdown))
    assert seen.tags <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert cell in seen.text


def test_a_query_above_a_table_fetches_nothing() -> None:
    query = "![x](http://evil.example/x.png)"
    report = RecallReport(query, Selection(by="model"))
    seen = Seen(markdown2html_mistune(Microscope(report).markdown))
    assert not seen.tags & {"img", "a"}
    assert "![x](http://evil.example/x.png)" in seen.text


def test_ordinary_text_stays_as_it_is() -> None:
    texts = [
        "user_role.md",
        "~/tidebook",
        "2 of 3 (67 %)",
        "a - b, c: d; e?",
        "no & yes",
        "“quoted”",
    ]
    for text in texts:
        assert literal(text) == text


def test_the_plain_form_lines_up_and_numbers_are_on_the_right() -> None:
    shown = table([("a", 1, True), ("long", 1234, False)], ("name", "tokens", "there"))
    assert repr(shown) == (
        "name  tokens  there\n----  ------  -----\na          1  yes\nlong   1,234  no"
    )


def test_the_markdown_form_says_the_same() -> None:
    shown = table([("a", 1, True), ("long", 1234, None)], ("name", "tokens", "there"))
    assert shown._repr_markdown_() == (
        "| name | tokens | there |\n| :--- | ---: | :--- |\n| a | 1 | yes |\n| long | 1,234 |  |"
    )


@pytest.mark.parametrize(
    ("cell", "rule"),
    [
        *((cell, "---:") for cell in ("12", "−3.5", "7 / 12", "98.1 %", "1,024", "")),
        *((cell, ":---") for cell in ("2026-03-30", "v1", "1 of them", "a")),
    ],
)
def test_a_column_of_numbers_is_aligned_to_the_right(cell: str, rule: str) -> None:
    assert table([(cell,), ("1",)], ("n",)).markdown.splitlines()[1] == f"| {rule} |"


def test_pipes_and_line_ends_do_not_break_a_row() -> None:
    shown = table([("a|b\nc \\",)], ("x|y",))
    assert shown.markdown.splitlines() == ["| x\\|y |", "| :--- |", "| a\\|b c \\\\ |"]
    assert "a|b c" in repr(shown)


def test_an_empty_table_has_its_headers() -> None:
    assert repr(table([], ("a", "b"))) == "a  b\n-  -"


def test_a_row_of_another_length_is_an_error() -> None:
    with pytest.raises(ValueError, match="row 2 has 1 cells"):
        table([(1, 2), (1,)], ("a", "b"))
