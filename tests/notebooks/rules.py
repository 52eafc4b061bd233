"""The rules of form, in the order in which a person would fix a notebook.

A rule takes a page and yields its problems, one short line each; none means that it is kept.
``tests/README.md`` says which parts a notebook has. Left out: whether the prose is any good, style,
which ruff checks, and whether outputs are right, which nbval compares.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

from memlab.course.gap import all_gaps
from tests.notebooks.page import HEADING, Cell, Page
from tests.notebooks.store import ROOT, read, render

Problems = Iterator[str]
Rule = Callable[[Page], Problems]
RULES: list[Rule] = []

GIVEN = {"add_memory", "least_trusted", "page_out", "set_pointer", "team_memory_time", "weigh"}
"""What a notebook writes out in a simpler form than memlab has, because it teaches it."""
_STEP = re.compile(r"^##\s+(?:Step\s+)?(\d+)\b", re.IGNORECASE)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]*)[^)]*\)")
_HTML_PICTURE = re.compile(r"<img\b(?![^>]*\balt\s*=\s*[\"']\s*[^\"'\s])[^>]*>", re.IGNORECASE)
_DEFINED = re.compile(r"^(?:async def|def|class) ([^\W_]\w*)", re.MULTILINE)
_SRC = re.compile(r"\bsrc\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(<?([^)\s>]+)[^)]*\)")
_OPTION = re.compile(
    r"^<details><summary>[^`\n]+</summary>\n\n([✓✗]) \S.*\n\n</details>$", re.MULTILINE
)
_VARIES = {
    r"\bOut\[": "uses Out[…], which only some front ends keep",
    r";\s*(#.*)?\Z": "ends with ';': write '_ = …'",
    r"^\s*%{1,2}(time|timeit|prun|lprun|memit)\b": "prints a time",
    r"^\s*(!|%%(bash|sh|cmd|script)\b|%(pip|conda|system|sx)\b)": "runs a shell",
}
_UNCOMPARED = re.compile(
    r"^[\s#]*(NBVAL_|PYTEST_VALIDATE_)(IGNORE_OUTPUT|SKIP|RAISES_EXCEPTION)\s*$", re.MULTILINE
)
_TAGS = {"nbval-ignore-output", "nbval-skip", "raises-exception"}
_GAP = re.compile(r"#+\s+(?:Your turn|Bonus): `(\w+)`(.*)")
_STARS = re.compile(r"  (★☆☆|★★☆|★★★) · about \d+ minutes")
# The example's developer is Robin, whose home is part of the story and of no machine.
_MACHINE = re.compile(
    r"(?<![\w~.-])/(?:home/(?!robin\b)|(?:Users|root|tmp|mnt|private|var/folders|workspaces?)/)[\w.-]+"
    r"|\b[A-Za-z]:\\{1,2}(?:Users|Windows|Temp|Program|hostedtoolcache)\b"
    r"|\b(?:site|dist)-packages\b|\bipykernel_\d+\b|\bat 0x[0-9a-fA-F]{6,}"
)
_NAMES_ITSELF = re.compile(
    r"<(Figure|[\w.]+ object)\b|\w+\(.*\b(children=|options=|style=\w+Style\()", re.DOTALL
)


def rule(check: Rule) -> Rule:
    RULES.append(check)
    return check


@rule
def the_opening_is_complete(page: Page) -> Problems:
    """NN_short_name, a title with a promise, what you build, learn and need, minutes, a map, a way
    to report back.
    """
    if not re.fullmatch(r"\d\d(_[a-z0-9]+)+\.ipynb", page.path.name):
        yield f"{page.path.name!r} is no NN_short_name"
    first = page.cells[0]
    title, *rest = first.source.strip().splitlines() or [""]
    if first.kind == "code" or not re.match(r"# \S", title):
        yield "the first cell does not begin with a title, '# …'"
    elif len(" ".join(line for line in rest if not HEADING.match(line)).split()) < 5:
        yield "no promise stands under the title"
    for name in ("You will build", "You will learn", "You( will)? need"):
        if page.section(name) is None:
            yield f"no part {name!r}"
    if not page.bullets("You will learn"):
        yield "'You will learn' has no list of objectives"
    opening = "\n".join(cell.source for cell in page.cells[:6])
    if not re.search(r"\b\d+(\s*(–|-|to)\s*\d+)?\s+minutes\b", opening):
        yield "the first cells do not say how many minutes it takes"
    pictures = _PICTURE.findall(opening)
    if not any(alt.strip() and target.endswith(".svg") for alt, target in pictures):
        yield "no map, an SVG with alternative text, in the first six cells"
    if "](stuck.md)" not in "".join(cell.source for cell in page.prose[:6]):
        yield "no link to stuck.md in the opening cells"


@rule
def the_middle_is_complete(page: Page) -> Problems:
    """Steps ``## Step k`` from 1, when it breaks, measure, in the real system; notebook 00 needs
    none of them.
    """
    steps = [int(found[1]) for found in map(_STEP.match, page.headings()) if found]
    if steps != list(range(1, len(steps) + 1)):
        yield f"the steps are numbered {steps}"
    if page.number == "00":
        return
    if not steps:
        yield "no step: '## Step 1 …'"
    for name in ("When it breaks", "Measure"):
        if page.section(name) is None:
            yield f"no part {name!r}"
    if not any("in the real system" in cell.source.lower() for cell in page.prose):
        yield "no box 'In the real system'"


@rule
def the_end_is_complete(page: Page) -> Problems:
    """Quiz, recap with as many points as objectives, next: all of them, in this order."""
    places = []
    for name in ("Quiz", "Recap", "Next"):
        is_it = re.compile(rf"#+\s+{name}\b", re.IGNORECASE).match
        found = [number for number, line in enumerate(page.headings()) if is_it(line)]
        places += found[:1]
        if not found:
            yield f"no heading {name!r}"
    if places != sorted(places):
        yield "the closing parts stand in another order"
    promised, kept = page.bullets("You will learn"), page.bullets("Recap")
    if promised != kept:
        yield f"{promised} objectives, but {kept} points in the recap"


@rule
def the_quiz_has_the_form(page: Page) -> Problems:
    """A quiz in Markdown has three questions, each with one right option and a reason for each."""
    text = "\n".join(c.source for c in page.prose if c.source.startswith("## Quiz"))
    questions = re.split(r"^\*\*\d\. ", text, flags=re.MULTILINE)[1:]
    if "<details>" in text and len(questions) != 3:
        yield f"the quiz has {len(questions)} questions, not 3"
    for number, question in enumerate(questions, start=1):
        signs = _OPTION.findall(question)
        if len(signs) != question.count("<details>") or len(signs) < 2:
            yield f"question {number}: an option does not have the form"
        if signs.count("✓") != 1:
            yield f"question {number}: {signs.count('✓')} options are right"


@rule
def pictures_have_alternative_text(page: Page) -> Problems:
    """In prose and in HTML outputs."""
    for cell in page.cells:
        shown = [] if cell.kind == "code" else [cell.source]
        shown += [text for kind, text in cell.texts() if kind in ("text/html", "text/markdown")]
        for text in shown:
            silent = [target for alt, target in _PICTURE.findall(text) if not alt.strip()]
            for name in silent + [tag.group()[:40] for tag in _HTML_PICTURE.finditer(text)]:
                yield f"cell {cell.number}: {name!r} has no text"


@rule
def links_lead_somewhere(page: Page) -> Problems:
    """Linked files and pictures exist; an anchor in this notebook is one of its headings."""
    anchors = {_anchor(HEADING.sub(r"\1", line)) for line in page.headings()}
    for cell in page.prose:
        prose = _CODE.sub("", cell.source)
        pictures = [target for _, target in _PICTURE.findall(prose)]
        for target in _LINK.findall(prose) + _SRC.findall(prose) + pictures:
            file, _, anchor = unquote(target).partition("#")
            if re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE):
                continue
            if not (page.path.parent / file).exists() if file else _anchor(anchor) not in anchors:
                yield f"cell {cell.number} links to {target!r}, which is not there"


@rule
def the_code_gives_the_same_outputs_everywhere(page: Page) -> Problems:
    """``begin(NN)`` in one of the first three cells, no ``Out[n]``, no semicolon at the end, no
    timing, no shell; a cell that is not compared says why: ``# not compared: …``.
    """
    begin = re.compile(rf"\bbegin\(\s*{int(page.number)}\b")
    if not any(begin.search(cell.source) for cell in page.code[:3]):
        yield f"no begin({int(page.number)}) in the first three code cells"
    for cell in page.code:
        for pattern, what in _VARIES.items():
            if re.search(pattern, cell.source.strip(), re.MULTILINE):
                yield f"cell {cell.number} {what}"
        has_reason = re.search(r"^#\s*not compared: \w", cell.source, re.MULTILINE)
        if not has_reason and (_UNCOMPARED.search(cell.source) or _TAGS & set(cell.tags)):
            yield f"cell {cell.number} is not compared and does not say why"


@rule
def no_package_name_is_defined_again(page: Page) -> Problems:
    """A function or class of memlab is shown from the package; here only ``naive_*``, gaps and
    what is given in a simpler form.
    """
    for cell in page.code:
        for name in _DEFINED.findall(cell.source):
            own = name.startswith(("naive_", "my_")) or name in {*GIVEN, *gaps_of(page)}
            if name in _public_names() and not own:
                yield f"cell {cell.number} defines {name!r}, which memlab has"


@rule
def every_gap_has_its_heading_and_starter(page: Page) -> Problems:
    """``### Your turn: `name`  ★★☆ · about 10 minutes`` (or *Bonus*), for gaps alone, and one cell
    with the definition and ``check(name)`` at its end, which says todo.
    """
    headings = [found for found in map(_GAP.fullmatch, page.headings()) if found]
    for heading in headings:
        if not heading[0].startswith("### ") or not _STARS.fullmatch(heading[2]):
            yield f"{heading[0]!r} has no stars and minutes"
    if sorted(heading[1] for heading in headings) != sorted(gaps_of(page)):
        yield f"the headings are for other gaps than {gaps_of(page)}"
    for name in gaps_of(page):
        cells = starters(page, name)
        if len(cells) != 1:
            yield f"{name}: {len(cells)} cells define it and end in check({name})"
        elif not any(re.search(r"^○ todo\b", text, re.MULTILINE) for _, text in cells[0].texts()):
            yield f"{name}: the stored check does not say 'todo'"


@rule
def the_outputs_are_those_of_one_clean_run(page: Page) -> Problems:
    """Every code cell was run once, from top to bottom, in a fresh kernel, without stderr or error;
    the file is what storing writes.
    """
    for cell in page.code:
        if not cell.source.strip():
            yield f"cell {cell.number} is empty"
        for kind, text in cell.texts():
            if kind in ("stderr", "error"):
                yield f"cell {cell.number} holds {kind}: {text.strip()[:60]!r}"
    counts = [cell.count for cell in page.code]
    if counts != list(range(1, len(counts) + 1)):
        yield f"the counts are {counts}; store the outputs anew"
    if render(read(page.path)) != page.path.read_text(encoding="utf-8"):
        yield "the file was saved by another program: store its outputs anew"


@rule
def no_trace_of_a_machine(page: Page) -> Problems:
    """No absolute path, temporary folder or address, in sources and in outputs."""
    here = {ROOT, Path.home(), Path(tempfile.gettempdir())}
    # A path of one part, such as a root user's home, is a word of many texts.
    own = [str(path) for path in here if len(path.parts) > 2]
    for cell in page.cells:
        for where, text in [("source", cell.source), *cell.texts()]:
            traces = [found.group() for found in _MACHINE.finditer(text)]
            for trace in traces + [path for path in own if path in text]:
                yield f"cell {cell.number}, {where}: {trace!r}"


@rule
def plots_stand_beside_their_numbers(page: Page) -> Problems:
    """A picture is not compared, so its cell or the next one shows the numbers as text."""
    for cell, after in zip(page.code, [*page.code[1:], None], strict=True):
        is_plot = any(kind.startswith("image/") for kind in cell.kinds())
        if is_plot and not _shown(cell) and not (after and _shown(after)):
            yield f"cell {cell.number} shows a picture, and no numbers as text stand by it"


def gaps_of(page: Page) -> list[str]:
    """Return the names of the gaps that a notebook has to have."""
    return [gap.name for gap in all_gaps().values() if gap.notebook == int(page.number)]


def starters(page: Page, name: str) -> list[Cell]:
    """Return the cells that define a gap's function or class and check it at the end."""
    pattern = rf"(?ms)^(?:def|class) {name}\b.*\ncheck\({name}\)\Z"
    return [cell for cell in page.code if re.search(pattern, cell.source)]


def _shown(cell: Cell) -> bool:
    """Whether a cell shows text; how a figure or a widget names itself is not text."""
    for kind, text in cell.texts():
        if kind == "text/html":
            text = re.sub(r"<[^>]+>", "", text)
        elif kind == "text/plain" and _NAMES_ITSELF.match(text):
            text = ""
        if text.strip() and kind in ("stdout", "text/markdown", "text/html", "text/plain"):
            return True
    return False


def _anchor(heading: str) -> str:
    """Reduce a heading or an anchor to what JupyterLab and GitHub agree on."""
    return re.sub(r"[^\w]", "", heading.strip().lower())


@cache
def _public_names() -> frozenset[str]:
    # the answers in gaps are written for the notebooks
    files = [path for path in (ROOT / "memlab").rglob("*.py") if path.parent.name != "gaps"]
    return frozenset(name for path in files for name in _DEFINED.findall(path.read_text("utf-8")))
