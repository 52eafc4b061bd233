"""The rules a labelled set of recall keeps, so that its kinds are what they are called.

Left out: whether a label is right, which only a person can judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import product

from memlab.evals.select_set import LabelledDirectory, SelectCase, SelectSet
from memlab.evals.words import little_words, shared_words
from memlab.memdir.scan import MemoryHeader
from memlab.settings import Settings

LEAST_BY_KIND = {
    "direct": 6,
    "gotcha": 6,
    "multi": 6,
    "near-miss": 8,
    "no-answer": 12,
    "other-language": 6,
    "paraphrase": 10,
    "stop-word-trap": 6,
    "tool-in-use": 6,
}
HALVES = ("work", "final")
LANGUAGES = ("de", "es", "fr")
SIZES = {"tidebook": (20, 20), "lightbox": (40, 60), "galley": (110, 130)}
LEAST_BETTER = 25
MOST_RELEVANT = 5


def broken_rules(select_set: SelectSet) -> Iterator[str]:
    """Say each rule the set breaks, with the file or case that breaks it."""
    if select_set.directories.keys() != SIZES.keys():
        yield f"directories are {sorted(select_set.directories)}; must be {sorted(SIZES)}"
        return
    for directory in select_set.directories.values():
        yield from _directory(directory)
    for case in select_set.cases:
        yield from (f"case {case.id}: {wrong}" for wrong in _case(case, select_set))
    yield from _together(select_set.cases)
    yield from _better(select_set)


def _seen(header: MemoryHeader) -> str:
    """All text of a memory that a method of choosing may look at."""
    return f"{header.name} {header.description} {header.filename.removesuffix('.md')}"


def _directory(directory: LabelledDirectory) -> Iterator[str]:
    least, most = SIZES[directory.name]
    if not least <= len(directory.headers) <= most:
        yield f"{directory.name}: {len(directory.headers)} files; must be {least} to {most}"
    names = Counter(header.filename.casefold() for header in directory.headers)
    yield from (f"{directory.name}: {name} stands {n} times" for name, n in names.items() if n > 1)
    for header in directory.headers:
        for wrong in _entry(header, directory.now):
            yield f"{directory.name}: {header.filename}: {wrong}"
    tools = {**directory.documents, **directory.warns_about}
    for file, tool in tools.items():
        if not re.fullmatch(r"mcp__[a-z0-9]+__[a-z0-9_]+", tool):
            yield f"{directory.name}: {file}: {tool} is no name of a tool"


def _entry(header: MemoryHeader, now: datetime) -> Iterator[str]:
    most = Settings().manifest_description_characters
    if not re.fullmatch(r"[\w./-]+\.md", header.filename) or "MEMORY" in header.filename:
        yield "no name of a memory file"
    if not header.name.strip():
        yield "no name"
    if not _one_line(header.description, most):
        yield f"the description must be one line of at most {most} characters"
    if header.mtime > now:
        yield "younger than now"


def _one_line(text: str, most: int) -> bool:
    return bool(text.strip()) and len(text.splitlines()) == 1 and len(text) <= most


def _case(case: SelectCase, select_set: SelectSet) -> Iterator[str]:
    known = (
        (case.directory, SIZES, "directory"),
        (case.kind, LEAST_BY_KIND, "kind"),
        (case.half, HALVES, "half"),
    )
    unknown = [f"no {what} is {value!r}" for value, values, what in known if value not in values]
    if unknown:
        yield from unknown
        return
    directory = select_set.directories[case.directory]
    files = case.relevant | case.tempting
    if missing := sorted(file for file in files if directory.header(file) is None):
        yield f"{directory.name} has no {', '.join(missing)}"
        return
    if not case.query.strip():
        yield "no query"
    if not case.reason.rstrip().endswith(".") or "\n" in case.reason.strip():
        yield "the reason must be one sentence"
    if len(case.relevant) > MOST_RELEVANT:
        yield f"{len(case.relevant)} relevant files; at most {MOST_RELEVANT} can be chosen"
    if both := sorted(case.relevant & case.tempting):
        yield f"{', '.join(both)} cannot be relevant and tempting"
    for file in sorted(case.relevant):
        if directory.documents.get(file) in case.recent_tools:
            yield f"{file} documents a tool in use, so it is not relevant"
    yield from _kind(case, directory)


def _kind(case: SelectCase, directory: LabelledDirectory) -> Iterator[str]:
    """Check that a case is of the kind it says."""
    empty = {"no-answer": True, "tool-in-use": None, "stop-word-trap": None}.get(case.kind, False)
    if empty is not None and empty == bool(case.relevant):
        yield f"{case.kind} {'must have no' if empty else 'needs a'} relevant file"
    if case.kind in ("near-miss", "stop-word-trap", "tool-in-use") and not case.tempting:
        yield f"{case.kind} needs a tempting file"
    if (case.kind == "other-language") != (case.language in LANGUAGES):
        yield f"other-language, and no other kind, has a language: {', '.join(LANGUAGES)}"
    if case.kind == "multi" and len(case.relevant) < 2:
        yield "multi needs two relevant files"
    used = {*case.recent_tools}
    if case.kind == "tool-in-use" and not used & {
        directory.documents.get(f) for f in case.tempting
    }:
        yield "no tempting file documents a recent tool"
    if case.kind == "gotcha" and not used & {directory.warns_about.get(f) for f in case.relevant}:
        yield "no relevant file warns about a recent tool"
    yield from _words(case, directory)


def _words(case: SelectCase, directory: LabelledDirectory) -> Iterator[str]:
    """Check what the query's words have in common with what could be chosen for it."""
    seen = {h.filename: _seen(h) for h in directory.headers}
    if case.kind == "paraphrase":
        for file in sorted(case.relevant):
            if shared := shared_words(case.query, seen[file]):
                yield f"a paraphrase shares {', '.join(sorted(shared))} with {file}"
    for file in sorted(case.tempting):
        shared = shared_words(case.query, seen[file])
        if case.kind == "near-miss" and not shared:
            yield f"{file} shares no word with the query, so it is not near"
        if case.kind == "stop-word-trap" and shared:
            yield f"{file} shares {', '.join(sorted(shared))}, which are no little words"
        if (
            case.kind == "stop-word-trap"
            and len(little_words(case.query) & little_words(seen[file])) < 2
        ):
            yield f"{file} shares fewer than two little words with the query"


def _together(cases: Iterable[SelectCase]) -> Iterator[str]:
    cases = list(cases)
    yield from (f"case {id}: used twice" for id, n in Counter(c.id for c in cases).items() if n > 1)
    kinds = Counter(case.kind for case in cases)
    for kind, least in LEAST_BY_KIND.items():
        if kinds[kind] < least:
            yield f"{kinds[kind]} cases of {kind}; at least {least} are needed"
    cells = Counter((case.kind, case.directory, case.half) for case in cases)
    for kind, directory in product(LEAST_BY_KIND, SIZES):
        work, final = (cells[kind, directory, half] for half in HALVES)
        if work != final:
            yield f"{kind} in {directory}: {work} cases in work, {final} in final"
    halves: dict[tuple[str, str], str] = {}
    asked: set[tuple[str, str, frozenset[str]]] = set()
    for case in cases:
        question = (case.directory, " ".join(case.query.casefold().split()))
        if halves.setdefault(question, case.half) != case.half:
            yield f"case {case.id}: its query stands in both halves"
        if (*question, frozenset(case.recent_tools)) in asked:
            yield f"case {case.id}: asked before, with the same tools"
        asked.add((*question, frozenset(case.recent_tools)))


def _better(select_set: SelectSet) -> Iterator[str]:
    directory = select_set.directories.get(select_set.better_directory)
    if directory is None:
        yield f"better descriptions: no directory is {select_set.better_directory!r}"
        return
    if len(select_set.better) < LEAST_BETTER:
        yield f"better descriptions: {len(select_set.better)}; at least {LEAST_BETTER} are needed"
    most = Settings().manifest_description_characters
    for file, line in select_set.better.items():
        header = directory.header(file)
        if header is None:
            yield f"better descriptions: {directory.name} has no {file}"
        elif not _one_line(line, most) or line == header.description:
            yield f"better descriptions: {file} needs one new line of at most {most} characters"
        elif not directory.bodies.get(file):
            yield f"better descriptions: {file} has no body it could be written from"
