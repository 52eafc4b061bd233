"""Every rule about the form of the project's files, in one report: ``python -m tests.lint``.

The rules look at notebooks, at texts that name a machine or a package registry, at the table of
behaviours, at the list of mutations, at tests that skip themselves, and at modules that open files
below memory. Left out: what ruff, mypy and import-linter check, and whether anything works.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests import behaviours
from tests.mutation.mutations import MUTATIONS, changed_text
from tests.notebooks.page import ROOT, find_notebooks, read_page
from tests.notebooks.rules import RULES
from tests.notebooks.store import read, render

_LEFT_OUT = re.compile(
    r"\.git|\.venv.*|my|build|dist|__pycache__|\..*_cache|\.ipynb_checkpoints|\.hypothesis|.*\.egg-info"
)
_PUBLIC_INDEX = re.compile(r"\b(?:pypi\.org|pythonhosted\.org|npmjs\.(?:com|org))\b")
_REGISTRY = re.compile(
    r"\b[\w-]*(?:artifactory|jfrog|devpi|nexus|goproxy)[\w-]*\.[a-z]{2,}\b"
    r"|\bregistry\.[\w-]+\.[a-z]{2,}\b",
    re.IGNORECASE,
)
# The example's developer is Robin; paths of that home belong to the story.
_HOME = re.compile(r"(?<![\w~.-])/(?:home/(?!robin\b)|Users/)\w+|\b[A-Z]:\\+Users\\+\w+")
_SKIP = re.compile(r"\b(?:importorskip|skipif|unittest\.skip\w*|pytest\.skip|mark\.skip)\b")
# Files below memory are opened by ``memdir/folder`` alone; these modules open files in another way.
_MEMORY = ("memdir", "evidence", "recall", "extract", "dream", "modes")
_OPENS = re.compile(
    r"\bos\.(?:open|scandir|walk|listdir|replace|rename|unlink|remove|r?mkdir|makedirs|utime|chmod)\("
    r"|\.(?:read_text|read_bytes|write_text|write_bytes|unlink|r?mkdir|iterdir|r?glob|touch|rmdir)\("
    r"|\bshutil\.\w+\(|(?<![\w.])(?<!def )open\("
    r"(?!\s*(?:\w+\.)*(?:open|open_real|open_inside|_quietly)\()"  # has been opened already
)
# The one way itself; what reads its own table; SQLite, which opens its file itself; and what reads
# git's files, settings, flags, sessions, transcripts, notes and a dream's copy, outside memory.
_OTHER_WAYS = """memdir/folder.py memdir/rules.py memdir/secrets.py memdir/places.py dream/gates.py
    memdir/toggles.py memdir/former.py recall/sqlite.py dream/plan.py dream/stage.py"""


def notebooks_keep_the_rules() -> Iterator[str]:
    """Every notebook keeps every rule of ``tests/notebooks/rules.py`` and has its normal form."""
    for path in find_notebooks():
        name, page = path.relative_to(ROOT).as_posix(), read_page(path)
        for rule in RULES:
            for problem in rule(page):
                yield f"{name}: {problem} (rule: {' '.join(str(rule.__doc__).split())})"
        if render(read(path)) != path.read_text("utf-8"):
            yield f"{name}: it was saved by an editor; run: python3 -m memlab store {page.number}"


def no_file_names_a_registry_or_a_machine() -> Iterator[str]:
    """No project file names a package registry's host or a path of somebody's machine.

    Tests and labelled sets may make paths up, and quote what pip says about the public index.
    """
    for name, text in project_texts(ROOT):
        found = [match.group() for match in _REGISTRY.finditer(text)]
        if len(ROOT.parts) > 2 and str(ROOT) in text:
            found.append(str(ROOT))
        if not name.startswith(("tests/", "data/labelled/")):
            for pattern in (_PUBLIC_INDEX, _HOME):
                found += [match.group() for match in pattern.finditer(text)]
        yield from (f"{name}: names {one!r}" for one in found)


def tests_are_skipped_in_one_place() -> Iterator[str]:
    """A test is skipped for its platform only, by a marker of ``tests/platforms.py``."""
    for name, text in project_texts(ROOT / "tests"):
        if name.endswith(".py") and name not in ("tests/platforms.py", "tests/lint.py"):
            for number, line in enumerate(text.splitlines(), start=1):
                if _SKIP.search(line):
                    yield f"{name}:{number}: skip with a marker of tests/platforms.py"


def the_table_of_behaviours_is_current() -> Iterator[str]:
    """Markers name behaviours that are listed, and the README shows the table as it is.

    A behaviour that no test proves is in the table, and is no problem.
    """
    known, found = behaviours.titles(), behaviours.proofs()
    yield from behaviours.problems(known, found)
    if behaviours.table(known, found) not in behaviours.README.read_text(encoding="utf-8"):
        yield "tests/README.md: the table of behaviours is old: run python -m tests.behaviours"


def mutations_can_be_made() -> Iterator[str]:
    """Each mutation changes one line that is there, once, for a notebook or a test that exists."""
    numbers = {path.name[:2] for path in find_notebooks()}
    for mutation in MUTATIONS:
        where = f"tests/mutation/mutations.py: {mutation}"
        try:
            changed_text(mutation, (ROOT / mutation.file).read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError) as error:
            yield f"{where}: {error}"
        test = ROOT / mutation.noticed_by.partition("::")[0]
        if mutation.noticed_by not in numbers and not test.is_file():
            yield f"{where}: there is no {mutation.noticed_by}"


def files_below_memory_are_opened_in_one_way() -> Iterator[str]:
    """Only ``memdir/folder`` opens files below memory; an exception has a name and a reason."""
    exceptions = _OTHER_WAYS.split()
    left = set(exceptions)
    for name, text in project_texts(ROOT / "memlab"):
        short = name.removeprefix("memlab/")
        if not short.startswith(_MEMORY) or not (found := _OPENS.search(text)):
            continue
        left.discard(short)
        if name.endswith(".py") and short not in exceptions:
            yield f"{name}: {found.group()}…) opens files in another way than Folder"
    yield from (f"tests/lint.py: memlab/{name} is no exception any more" for name in sorted(left))


CHECKS: tuple[Callable[[], Iterator[str]], ...] = (
    notebooks_keep_the_rules,
    no_file_names_a_registry_or_a_machine,
    tests_are_skipped_in_one_place,
    the_table_of_behaviours_is_current,
    mutations_can_be_made,
    files_below_memory_are_opened_in_one_way,
)


def problems() -> list[str]:
    """Return every problem that any check finds, one line each."""
    return [problem for check in CHECKS for problem in check()]


def project_texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every project file that is text."""
    for path in sorted(folder.iterdir()):
        if _LEFT_OUT.fullmatch(path.name) or path.is_symlink():
            continue
        if path.is_dir():
            yield from project_texts(path)
        else:
            try:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def main() -> int:
    """Print every problem; return 1 if there is one."""
    found = problems()
    print("\n".join(found) if found else f"{len(CHECKS)} kinds of rules, no problem")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
