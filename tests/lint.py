"""Every rule about the form of the project's files, in one report: ``python -m tests.lint``.

The rules look at notebooks, at texts that name a machine or a package registry, at the table of
behaviours, at the list of mutations, and at tests that skip themselves. Left out: what ruff, mypy
and import-linter check, and whether anything works.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests import behaviours
from tests.mutation.mutations import MUTATIONS, changed_text
from tests.notebooks import record as stored
from tests.notebooks.page import read_page
from tests.notebooks.rules import RULES
from tests.notebooks.store import find_notebooks

ROOT = Path(__file__).resolve().parents[1]

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
_OTHER_WAYS = {
    "memdir/folder.py": "the one way itself",
    "memdir/places.py": "reads git's files and the settings, outside memory",
    "memdir/former.py": "reads sessions, outside memory",
    "memdir/rules.py": "reads its own table",
    "memdir/secrets.py": "reads its own table",
    "memdir/toggles.py": "reads the settings and flags, outside memory",
    "recall/sqlite.py": "SQLite opens its file itself",
    "dream/gates.py": "lists transcripts, outside memory",
    "dream/plan.py": "lists transcripts, outside memory",
    "dream/stage.py": "old: makes the copy, outside memory",
    "modes/session.py": "what a killed write left beside the notes, outside memory",
}
_MAY_SKIP = ("tests/platforms.py", "tests/lint.py")


def notebooks_keep_the_rules() -> Iterator[str]:
    """Every notebook keeps every rule of ``tests/notebooks/rules.py``."""
    for path in find_notebooks():
        page = read_page(path)
        for rule in RULES:
            for problem in rule(page):
                yield f"notebooks/{path.name}: {problem} (rule: {rule.__doc__})"


def notebooks_are_as_they_were_stored() -> Iterator[str]:
    """No notebook was edited after its outputs were stored."""
    record = stored.read_record(ROOT)
    for path in find_notebooks():
        name, number = path.relative_to(ROOT).as_posix(), path.name[:2]
        if record.get(number, {}).get(name) != stored.digest(ROOT, name):
            yield f"{name}: it was edited; run: python3 -m memlab store {number}"


def no_file_names_a_registry_or_a_machine() -> Iterator[str]:
    """No project file names a package registry's host or a path of somebody's machine."""
    for name, text in project_texts():
        for found in given_away(name, text):
            yield f"{name}: names {found!r}"


def tests_are_skipped_in_one_place() -> Iterator[str]:
    """A test is skipped for its platform only, by a marker of ``tests/platforms.py``."""
    for name, text in project_texts(ROOT / "tests"):
        yield from skips(name, text)


def the_table_of_behaviours_is_current() -> Iterator[str]:
    """Markers name behaviours that are listed, and the README shows the table as it is.

    A behaviour that no test proves is in the table, and is no problem.
    """
    known, found = behaviours.titles(), behaviours.proofs()
    yield from behaviours.problems(known, found)
    shown = behaviours.shown(behaviours.README.read_text(encoding="utf-8"))
    if shown != behaviours.table(known, found):
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
    """Only ``memdir/folder`` opens files below memory; each exception has a name and a reason."""
    left = set(_OTHER_WAYS)
    for part in _MEMORY:
        for path in sorted((ROOT / "memlab" / part).glob("**/*.py")):
            name = path.relative_to(ROOT / "memlab").as_posix()
            found = _OPENS.search(path.read_text(encoding="utf-8"))
            left -= {name} if found else set()
            if found and name not in _OTHER_WAYS:
                yield f"memlab/{name}: {found.group()}…) opens files in another way than Folder"
    for name in sorted(left):
        yield f"tests/lint.py: memlab/{name} is no exception any more"


CHECKS: tuple[Callable[[], Iterator[str]], ...] = (
    notebooks_keep_the_rules,
    notebooks_are_as_they_were_stored,
    no_file_names_a_registry_or_a_machine,
    tests_are_skipped_in_one_place,
    the_table_of_behaviours_is_current,
    mutations_can_be_made,
    files_below_memory_are_opened_in_one_way,
)


def problems() -> list[str]:
    """Return every problem that any check finds, one line each."""
    return [problem for check in CHECKS for problem in check()]


def project_texts(folder: Path = ROOT) -> Iterator[tuple[str, str]]:
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


def given_away(name: str, text: str) -> list[str]:
    """Return registry hosts and machine paths.

    Tests and labelled sets may make paths up, and quote what pip says about the public index.
    """
    found = [match.group() for match in _REGISTRY.finditer(text)]
    if len(ROOT.parts) > 2 and str(ROOT) in text:
        found.append(str(ROOT))
    if not name.startswith(("tests/", "data/labelled/")):
        found += [match.group() for match in _PUBLIC_INDEX.finditer(text)]
        found += [match.group() for match in _HOME.finditer(text)]
    return found


def skips(name: str, text: str) -> list[str]:
    """Return the lines of a test file that skip tests themselves."""
    if name in _MAY_SKIP or not name.endswith(".py"):
        return []
    return [
        f"{name}:{number}: skip with a marker of tests/platforms.py, or move it to its tier"
        for number, line in enumerate(text.splitlines(), start=1)
        if _SKIP.search(line)
    ]


def main() -> int:
    """Print every problem; return 1 if there is one."""
    found = problems()
    print("\n".join(found) if found else f"{len(CHECKS)} kinds of rules, no problem")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
