"""What a notebook shows of a memory is text, whatever the memory says."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from memlab.course.display import literal
from memlab.course.tables import table
from memlab.course.widgets.microscope import Microscope
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
