"""Rules for what a notebook says: its parts, their order, pictures and links.

A rule takes a page and returns its problems, one short line each. Left out: whether the prose is
any good.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from tests.notebooks.page import HEADING, Page, bullets

_NAME = re.compile(r"\d\d_[a-z0-9]+(_[a-z0-9]+)*\.ipynb")
_MINUTES = re.compile(r"\b\d+(\s*(–|-|to)\s*\d+)?\s+minutes\b")
_STEP = re.compile(r"^##\s+(?:Step\s+)?(\d+)\b", re.IGNORECASE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]*)[^)]*\)")
_HTML_PICTURE = re.compile(r"<img\b[^>]*>", re.IGNORECASE)
_ALT = re.compile(r"\balt\s*=\s*(\"\s*[^\"\s]|'\s*[^'\s])", re.IGNORECASE)
_SRC = re.compile(r"\bsrc\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_OPTION = re.compile(
    r"^<details><summary>[^`\n]+</summary>\n\n([✓✗]) \S.*\n\n</details>$", re.MULTILINE
)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(<?([^)\s>]+)[^)]*\)")

OPENER = {
    "you will build": "You will build",
    "you will learn": "You will learn",
    "you( will)? need": "You need",
}
MIDDLE = {"when it breaks": "When it breaks", "measure": "Measure"}
CLOSER = {
    "quiz": "Quiz",
    "recap": "Recap",
    "next": "Next",
}


def name_has_the_pattern(page: Page) -> list[str]:
    """``NN_short_name.ipynb``."""
    return [] if _NAME.fullmatch(page.path.name) else [f"{page.path.name!r} is no NN_short_name"]


def title_and_promise_come_first(page: Page) -> list[str]:
    """The first cell is a title and at least one sentence."""
    first = page.cells[0]
    lines = first.source.strip().splitlines() or [""]
    if first.is_code or not re.match(r"# \S", lines[0]):
        return ["the first cell does not begin with a title, '# …'"]
    promise = " ".join(line for line in lines[1:] if not HEADING.match(line))
    return [] if len(promise.split()) >= 5 else ["no promise stands under the title"]


def opener_is_complete(page: Page) -> list[str]:
    """What you will build, learn and need, and how many minutes it takes."""
    problems = _missing(page, OPENER)
    opening = "\n".join(cell.source for cell in page.cells[:6])
    if not _MINUTES.search(opening):
        problems.append("the first cells do not say how many minutes it takes")
    if not bullets(page.section("you will learn") or []):
        problems.append("'You will learn' has no list of objectives")
    return problems


def map_comes_early(page: Page) -> list[str]:
    """A picture of the system, an SVG with alternative text, within the first six cells."""
    for cell in page.cells[:6]:
        for alt, target in _PICTURE.findall(cell.source):
            if alt.strip() and target.endswith(".svg"):
                return []
    return ["no map, an SVG with alternative text, in the first six cells"]


def middle_is_complete(page: Page) -> list[str]:
    """When it breaks, measure, in the real system; notebook 00 has none of them."""
    if page.is_first:
        return []
    problems = _missing(page, MIDDLE)
    if not any("in the real system" in cell.source.lower() for cell in page.prose):
        problems.append("no box 'In the real system'")
    return problems


def closer_is_complete(page: Page) -> list[str]:
    """Quiz, recap, next: all of them, in this order."""
    headings = page.headings()
    places: list[int] = []
    problems: list[str] = []
    for label, name in CLOSER.items():
        own = [i for i, line in enumerate(headings) if re.match(rf"#+\s+{label}\b", line, re.I)]
        if own:
            places.append(own[0])
        else:
            problems.append(f"no heading {name!r}")
    if places != sorted(places):
        problems.append("the closing parts stand in another order")
    return problems


def quiz_has_the_form(page: Page) -> list[str]:
    """A quiz in Markdown has three questions, each with one right option and a reason for each."""
    text = "\n".join(cell.source for cell in page.prose if cell.source.startswith("## Quiz"))
    if "<details>" not in text:
        return []
    questions = re.split(r"^\*\*\d\. ", text, flags=re.MULTILINE)[1:]
    problems = [] if len(questions) == 3 else [f"the quiz has {len(questions)} questions, not 3"]
    for number, question in enumerate(questions, start=1):
        signs = _OPTION.findall(question)
        if len(signs) != question.count("<details>") or len(signs) < 2:
            problems.append(f"question {number}: an option does not have the form")
        if signs.count("✓") != 1:
            problems.append(f"question {number}: {signs.count('✓')} options are right")
    return problems


def recap_mirrors_the_objectives(page: Page) -> list[str]:
    """As many points in the recap as objectives at the beginning."""
    promised = bullets(page.section("you will learn") or [])
    kept = bullets(page.section("recap") or [])
    return [] if promised == kept else [f"{promised} objectives, but {kept} points in the recap"]


def steps_are_numbered(page: Page) -> list[str]:
    """Headings ``## Step k``, numbered from 1; notebook 00 may have none."""
    steps = [int(m.group(1)) for m in map(_STEP.match, page.headings()) if m]
    if not steps and not page.is_first:
        return ["no step: '## Step 1 …'"]
    if steps != list(range(1, len(steps) + 1)):
        return [f"the steps are numbered {steps}"]
    return []


def pictures_have_alternative_text(page: Page) -> list[str]:
    """In prose and in HTML outputs."""
    problems = []
    for cell in page.cells:
        shown = [] if cell.is_code else [cell.source]
        shown += [text for kind, text in cell.texts() if kind in ("text/html", "text/markdown")]
        for text in shown:
            silent = [target for alt, target in _PICTURE.findall(text) if not alt.strip()]
            silent += [tag[:40] for tag in _HTML_PICTURE.findall(text) if not _ALT.search(tag)]
            problems += [f"cell {cell.number}: {name!r} has no text" for name in silent]
    return problems


def links_lead_somewhere(page: Page) -> list[str]:
    """Linked files and pictures exist; an anchor in this notebook is one of its headings."""
    anchors = {_anchor(HEADING.sub(r"\1", line)) for line in page.headings()}
    problems = []
    for cell in page.prose:
        prose = _CODE.sub("", cell.source)
        targets = _LINK.findall(prose) + _SRC.findall(prose)
        targets += [target for _, target in _PICTURE.findall(prose)]
        for target in targets:
            file, _, anchor = unquote(target).partition("#")
            if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
                continue
            if file and not (page.path.parent / file).exists():
                problems.append(f"cell {cell.number} links to {target!r}, which is not there")
            if not file and _anchor(anchor) not in anchors:
                problems.append(f"cell {cell.number} links to {target!r}, no heading here")
    return problems


def a_way_to_report_back_is_linked(page: Page) -> list[str]:
    """One of the opening cells links to the page that says how to tell us where you got stuck."""
    opening = "".join(cell.source for cell in page.prose[:6])
    return [] if "](stuck.md)" in opening else ["no link to stuck.md in the opening cells"]


def _missing(page: Page, labels: dict[str, str]) -> list[str]:
    return [
        f"no part {name!r}"
        for label, name in labels.items()
        if page.section(rf"^{label}\b") is None
    ]


def _anchor(heading: str) -> str:
    """Reduce a heading or an anchor to what JupyterLab and GitHub agree on."""
    return re.sub(r"[^\w]", "", heading.strip().lower().replace("-", ""))
