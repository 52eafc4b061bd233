"""What a notebook shows: literal text, the package's own source, and pictures one can read."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree

import pytest
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from memlab.course import contains_evidence, my, show, show_source, table
from memlab.course.chart import FAINT, INK, PAPER, SMALL, WIDTH, Picture, bars, lanes, rising_lines
from memlab.course.data_files import CLONE
from memlab.memdir import scan

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = {
    "bars": bars("Found", "Words find 7.", [("words", 7, "7"), ("<model>", 9, "9")]),
    "lanes": lanes("Tokens", "Five.", [("usual", [("read", 4, "green"), ("new", 1, "red")])]),
    "lines": rising_lines("Found", "0, then 4.", ["00", "02"], {"found": [0, 4]}),
    "hostile": Picture("<b>", 'say "yes" & <no>', height=100),
}
HOSTILE = r"""![a picture](http://evil.example/x.png)
![a picture][ref] [click here](http://evil.example/)
<script>alert(1)</script> <http://evil.example/>
\<img src=x> \![x](y)
a | <b>b</b> | c
`code` **bold** *em* _em_ __strong__ ~~gone~~
$x^2$ &lt;img&gt; &#60;b&#62; &amp;
~/a~ and x~/y~/z and ~/home, snake_case, C:\dir\file"""


@pytest.mark.parametrize("cell", HOSTILE.splitlines())
def test_a_cell_is_shown_literally(cell: str) -> None:
    shown = markdown2html_mistune(table([["file.md", cell]], ["file", "says"]).markdown)
    assert {*re.findall(r"<(\w+)", shown)} <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert cell in html.unescape(re.sub(r"<.*?>", "", shown))


def test_source_is_memlabs_own_with_file_and_numbers_and_nothing_of_this_machine() -> None:
    whole = show_source(contains_evidence).markdown.splitlines()
    assert whole[3] == " 1  def contains_evidence(text: str, evidence: str) -> bool:"
    part = show_source(contains_evidence, lines=(2, 4)).markdown.splitlines()
    assert part[0] == f"{whole[0]}, lines 2 to 4"
    assert part[3:-1] == whole[4:7]
    module = show_source(show).markdown
    assert module.startswith("`memlab/course/show.py`\n\n```python\n")
    assert str(CLONE) not in module
    ours = show_source(scan.manifest_line).markdown
    with my.completed(manifest_line=lambda header: "mine"):
        assert show_source(scan.manifest_line).markdown == ours


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_a_picture_is_readable_on_any_page_and_by_a_screen_reader(picture: Picture) -> None:
    tree = ElementTree.fromstring(picture.svg())
    assert (tree.get("role"), tree.get("aria-label")) == ("img", picture.alt)
    paper = tree.find(f"{SVG}rect")
    assert paper is not None
    assert (paper.get("fill"), paper.get("width")) == (PAPER, str(WIDTH))
    for text in tree.iter(f"{SVG}text"):
        assert int(text.get("font-size", "0")) >= SMALL
        assert text.get("fill") in (INK, FAINT)
        assert 0 <= float(text.get("x", "-1")) <= WIDTH
        assert 0 <= float(text.get("y", "-1")) <= picture.height
