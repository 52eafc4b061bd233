"""Rules for a notebook's code cells, and for the code that it must not hold.

Left out: style, which ruff checks, and outputs.
"""

from __future__ import annotations

import ast
import re
import tokenize
from functools import cache
from io import StringIO
from pathlib import Path

from tests.notebooks import rules_gaps
from tests.notebooks.page import Cell, Page

ROOT = Path(__file__).resolve().parents[2]

OWN_PREFIXES = ("naive_", "my_")
GIVEN = {"add_memory", "least_trusted", "page_out", "set_pointer", "team_memory_time", "weigh"}
"""What a notebook writes out in a simpler form than memlab has, because it teaches it."""
NOT_COMPARED_TAGS = frozenset({"nbval-ignore-output", "nbval-skip", "raises-exception"})
NOT_COMPARED_COMMENTS = frozenset(
    {
        "NBVAL_IGNORE_OUTPUT",
        "PYTEST_VALIDATE_IGNORE_OUTPUT",
        "NBVAL_SKIP",
        "NBVAL_RAISES_EXCEPTION",
    }
)

_REASON = re.compile(r"^#\s*not compared: \w", re.MULTILINE)
_TIMING = re.compile(r"^\s*%{1,2}(time|timeit|prun|lprun|memit)\b", re.MULTILINE)
_ESCAPE = re.compile(r"^\s*(!|%%(bash|sh|cmd|script)\b|%(pip|conda|system|sx)\b)", re.MULTILINE)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SPECIAL = re.compile(r"^\s*[%!?].*$", re.MULTILINE)


def counts_are_1_to_n(page: Page) -> list[str]:
    """Every code cell holds code and was run once, from top to bottom, in a fresh kernel."""
    problems = [f"cell {cell.number} is empty" for cell in page.code if not cell.source.strip()]
    counts = [cell.count for cell in page.code]
    if counts != list(range(1, len(counts) + 1)):
        problems.append(f"the counts are {counts}; store the outputs anew")
    return problems


def begins_from_its_own_state(page: Page) -> list[str]:
    """One of the first three code cells calls ``begin`` with this notebook's number."""
    call = re.compile(rf"\bbegin\(\s*{int(page.number)}\b")
    if any(call.search(cell.source) for cell in page.code[:3]):
        return []
    return [f"no begin({int(page.number)}) in the first three code cells"]


def no_package_name_is_defined_again(page: Page) -> list[str]:
    """A function or class of memlab is shown from the package; here only ``naive_*``, gaps and
    what is given in a simpler form.
    """
    known = public_names() - GIVEN - {*rules_gaps.gaps_of(page)}
    return [
        f"cell {cell.number} defines {name!r}, which memlab has"
        for cell in page.code
        for name in defined_names(cell)
        if name in known and not name.startswith(OWN_PREFIXES)
    ]


def nothing_that_differs_from_run_to_run(page: Page) -> list[str]:
    """No ``Out[n]``, no trailing semicolon, no timing magic, no shell."""
    problems = []
    for cell in page.code:
        if re.search(r"\bOut\[", cell.source):
            problems.append(f"cell {cell.number} uses Out[…], which only some front ends keep")
        if ends_with_semicolon(cell):
            problems.append(f"cell {cell.number} ends with ';': write '_ = …'")
        if _TIMING.search(cell.source):
            problems.append(f"cell {cell.number} prints a time")
        if _ESCAPE.search(cell.source):
            problems.append(f"cell {cell.number} runs a shell, which differs by system")
    return problems


def uncompared_cells_have_a_reason(page: Page) -> list[str]:
    """A cell whose output is not compared says why: ``# not compared: …``."""
    return [
        f"cell {cell.number} is not compared and does not say why"
        for cell in uncompared(page)
        if not _REASON.search(cell.source)
    ]


def uncompared(page: Page) -> list[Cell]:
    """Return the code cells that nbval is told not to compare, or not to run."""
    return [
        cell
        for cell in page.code
        if NOT_COMPARED_TAGS & set(cell.tags)
        or NOT_COMPARED_COMMENTS
        & {line.strip().lstrip("#").strip() for line in cell.source.splitlines() if "#" in line}
    ]


def is_plot(cell: Cell) -> bool:
    """Whether the cell shows a picture."""
    return any(kind.startswith("image/") for kind in cell.kinds())


def defined_names(cell: Cell) -> list[str]:
    """Return the names of the functions and classes that the cell defines at its top level."""
    tree = ast.parse(plain_python(cell))
    return [node.name for node in tree.body if isinstance(node, _DEFINITIONS)]


def plain_python(cell: Cell) -> str:
    """Return the cell's source with IPython's own lines made harmless."""
    return _SPECIAL.sub("pass", cell.source)


def ends_with_semicolon(cell: Cell) -> bool:
    """Whether the last thing in the cell, comments aside, is a semicolon."""
    tokens = tokenize.generate_tokens(StringIO(plain_python(cell)).readline)
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)
    last = [token.string for token in tokens if token.type not in skipped][-1:]
    return last == [";"]


@cache
def public_names(package: Path = ROOT / "memlab") -> frozenset[str]:
    """Return the names of all public functions and classes of the package."""
    return frozenset(
        node.name
        for path in package.rglob("*.py")
        if path.parent.name != "gaps"  # their answers are written for the notebooks
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, _DEFINITIONS) and not node.name.startswith("_")
    )
