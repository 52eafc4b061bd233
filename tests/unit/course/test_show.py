"""What a notebook shows is text, whatever it says, and the package's own source as it is."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from memlab.course import contains_evidence, my, show, show_prompt, show_source, table
from memlab.memdir import scan
from memlab.prompts import prompt_text

ROOT = Path(__file__).resolve().parents[3]
HOSTILE = [
    "![a picture](http://evil.example/x.png)",
    "![a picture][ref] [click here](http://evil.example/)",
    "<script>alert(1)</script> <http://evil.example/>",
    "\\<img src=x> \\![x](y)",
    "a | <b>b</b> | c",
    "`code` **bold** *em* _em_ __strong__ ~~gone~~",
    "$x^2$ &lt;img&gt; &#60;b&#62; &amp;",
    "~/a~ and x~/y~/z and ~/home, snake_case, C:\\dir\\file",
]


@pytest.mark.parametrize("cell", HOSTILE)
def test_a_cell_is_shown_literally(cell: str) -> None:
    shown = markdown2html_mistune(table([["file.md", cell]], ["file", "says"]).markdown)
    assert {*re.findall(r"<(\w+)", shown)} <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert cell in html.unescape(re.sub(r"<.*?>", "", shown))


def test_a_table_lines_up_with_numbers_on_the_right() -> None:
    shown = table([("a_b\nc", 1, True, ""), ("long", 1234, None, "98 %")], ("name", "n", "?", "|"))
    assert repr(shown).splitlines() == [
        "name       n  ?       |",
        "-----  -----  ---  ----",
        "a_b c      1  yes",
        "long   1,234       98 %",
    ]
    assert shown.markdown.splitlines()[:3] == [
        "| name | n | ? | \\| |",
        "| :--- | ---: | :--- | ---: |",
        "| a_b c | 1 | yes |  |",
    ]
    assert repr(table([], ("a", "b"))) == "a  b\n-  -"
    with pytest.raises(ValueError, match="zip"):
        table([(1, 2), (1,)], ("a", "b"))


def test_source_is_shown_with_its_file_and_numbers_and_nothing_of_this_machine() -> None:
    whole = show_source(contains_evidence).markdown.splitlines()
    assert whole[0].endswith(" · contains_evidence`")
    assert whole[3] == " 1  def contains_evidence(text: str, evidence: str) -> bool:"
    part = show_source(contains_evidence, lines=(2, 4)).markdown.splitlines()
    assert part[0] == f"{whole[0]}, lines 2 to 4"
    assert part[3:-1] == whole[4:7]
    module = show_source(show).markdown
    assert module.startswith("`memlab/course/show.py`\n\n```python\n")
    assert str(ROOT) not in module
    assert prompt_text("agent") in show_prompt("agent").markdown


def test_what_a_learners_part_replaces_is_shown_as_memlab_has_it() -> None:
    shown = show_source(scan.manifest_line).markdown
    with my.completed(manifest_line=lambda header: "mine"):
        assert show_source(scan.manifest_line).markdown == shown
