"""The rules of form, in the order in which a person would fix a notebook.

A rule takes a page and yields its problems, one short line each; none means that it is kept.
``tests/README.md`` says which parts a notebook has. Left out: whether the prose is any good, style,
which ruff checks, and whether outputs are right, which nbval compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from memlab.course.gap import all_gaps
from tests.notebooks.page import Cell, Page
from tests.notebooks.store import read, render

Problems = Iterator[str]
Rule = Callable[[Page], Problems]
RULES: list[Rule] = []

LABEL = r"^(?:#+ |\*\*)"
PARTS = {
    "a title with a promise under it": r"\A# \S.*\n+[^#\s]",
    "You will build": rf"{LABEL}You will build\b",
    "You will learn, with a list": rf"{LABEL}You will learn\b[^#]*?\n[-*] ",
    "You need": rf"{LABEL}You (will )?need\b",
    "a map, an SVG with alternative text": r"!\[[^\]]+\]\([^)]+\.svg\)",
    "a link to stuck.md": r"\]\(stuck\.md\)",
    "Quiz, Recap and Next, in this order": r"(?s:^#+ Quiz\b.*^#+ Recap\b.*^#+ Next\b)",
}
PARTS_OF_A_LESSON = {
    "When it breaks": rf"{LABEL}When it breaks\b",
    "Measure": rf"{LABEL}Measure\b",
    "a step: '## Step 1 …'": r"^## Step 1\b",
    "a box 'In the real system'": r"in the real system",
}
SILENT = re.compile(r"!\[\s*\]\([^)]*\)|<img\b(?![^>]*\balt=[\"']\s*[^\"'\s])[^>]*>", re.IGNORECASE)
OPTION = re.compile(
    r"^<details><summary>[^`\n]+</summary>\n\n([✓✗]) \S.*\n\n</details>$", re.MULTILINE
)
UNCOMPARED = re.compile(r"(?i)nbval[_-](ignore[_-]output|skip|raises)|raises-exception")
GAP = re.compile(r"### (?:Your turn|Bonus): `(\w+)`  (?:★☆☆|★★☆|★★★) · about \d+ minutes")


def rule(check: Rule) -> Rule:
    RULES.append(check)
    return check


@rule
def it_has_all_parts(page: Page) -> Problems:
    """NN_short_name, what the opening cells say, steps from 1, and an end with as many points as
    there are objectives; notebook 00 needs no step and nothing of a lesson.
    """
    if not re.fullmatch(r"\d\d(_[a-z0-9]+)+\.ipynb", page.path.name):
        yield f"{page.path.name!r} is no NN_short_name"
    for name, pattern in (PARTS | (PARTS_OF_A_LESSON if page.number != "00" else {})).items():
        if not re.search(pattern, page.prose, re.IGNORECASE | re.MULTILINE):
            yield f"it lacks {name}"
    steps = [int(number) for number in re.findall(r"(?m)^## Step (\d+)", page.prose)]
    if steps != list(range(1, len(steps) + 1)):
        yield f"the steps are numbered {steps}"
    if not any(f"begin({int(page.number)}" in cell.source for cell in page.code[:3]):
        yield f"no begin({int(page.number)}) in the first three code cells"
    promised, kept = page.points("You will learn"), page.points("Recap")
    if promised != kept:
        yield f"{promised} objectives, but {kept} points in the recap"


@rule
def the_quiz_has_the_form(page: Page) -> Problems:
    """A quiz in Markdown has three questions, each with one right option and a reason for each."""
    text = "\n".join(cell.source for cell in page.cells if cell.source.startswith("## Quiz"))
    questions = re.split(r"^\*\*\d\. ", text, flags=re.MULTILINE)[1:]
    if "<details>" in text and len(questions) != 3:
        yield f"the quiz has {len(questions)} questions, not 3"
    for number, question in enumerate(questions, start=1):
        signs = OPTION.findall(question)
        if len(signs) != question.count("<details>") or len(signs) < 2 or signs.count("✓") != 1:
            yield f"question {number}: an option does not have the form, or not one is right"


@rule
def pictures_have_alternative_text(page: Page) -> Problems:
    """In prose and in outputs."""
    for cell in page.cells:
        shown = cell.source + "".join(text for kind, text in cell.texts() if "text/" in kind)
        for name in SILENT.findall(shown) if cell.kind != "code" or cell.outputs else ():
            yield f"cell {cell.number}: {name[:40]!r} has no text"


@rule
def every_gap_has_its_heading_and_starter(page: Page) -> Problems:
    """``### Your turn: `name`  ★★☆ · about 10 minutes`` (or *Bonus*), for gaps alone, and one cell
    with the definition and ``check(name)`` at its end, which says todo.
    """
    headings = [found[1] for line in page.headings() if (found := GAP.fullmatch(line))]
    if sorted(headings) != sorted(gaps_of(page)):
        yield f"the headings with stars and minutes are not those of {gaps_of(page)}"
    for name in gaps_of(page):
        cells = starters(page, name)
        if len(cells) != 1:
            yield f"{name}: {len(cells)} cells define it and end in check({name})"
        elif not any(re.search(r"^○ todo\b", text, re.MULTILINE) for _, text in cells[0].texts()):
            yield f"{name}: the stored check does not say 'todo'"


@rule
def the_outputs_are_those_of_one_clean_run(page: Page) -> Problems:
    """Every code cell was run once, from top to bottom, in a fresh kernel, without stderr or error,
    and is compared; the file is what storing writes.
    """
    for cell in page.code:
        for kind, text in cell.texts():
            if kind in ("stderr", "error"):
                yield f"cell {cell.number} holds {kind}: {text.strip()[:60]!r}"
    counts = [cell.count for cell in page.code]
    if counts != list(range(1, len(counts) + 1)):
        yield f"the counts are {counts}; store the outputs anew"
    text = page.path.read_text(encoding="utf-8")
    if found := UNCOMPARED.search(text):
        yield f"a cell is not compared: {found[0]}"
    if render(read(page.path)) != text:
        yield "the file was saved by another program: store its outputs anew"


def gaps_of(page: Page) -> list[str]:
    """Return the names of the gaps that a notebook has to have."""
    return [gap.name for gap in all_gaps().values() if gap.notebook == int(page.number)]


def starters(page: Page, name: str) -> list[Cell]:
    """Return the cells that define a gap's function or class and check it at the end."""
    pattern = rf"(?ms)^(?:def|class) {name}\b.*\ncheck\({name}\)\Z"
    return [cell for cell in page.code if re.search(pattern, cell.source)]
