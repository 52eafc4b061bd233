"""From what a model chose, stored, changed or said to a verdict, by the labels
alone.

Each function gives what is wrong, in a few words each; nothing means that the
answer is correct. Left out: how well a memory is written. A label looks at
words, so what says the opposite in the same words meets it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from memlab.errors import MemoryFormatError
from memlab.evals.labelled import Label, contains_all
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import parse_memory
from memlab.memdir.places import INDEX
from memlab.settings import Settings

Texts = Mapping[str, str]  # by its file, what each memory says
Calls = Sequence[tuple[str, Mapping[str, Any]]]  # the tools, and their input

_listed = ", ".join


def selection_problems(label: Label, chosen: Sequence[str]) -> Iterator[str]:
    """Compare the files that were chosen with those that should be."""
    missing = sorted(set(label.relevant).difference(chosen))
    tempting = [file for file in chosen if file in label.tempting]
    wanted = {*label.relevant, *label.tempting}
    others = [file for file in chosen if file not in wanted]
    if missing:
        yield f"left out {_listed(missing)}"
    if tempting:
        yield f"chose the tempting {_listed(tempting)}"
    if others and not label.relevant:
        yield f"chose {_listed(others)}, where nothing helps"
    elif len(others) > 1:
        yield f"chose {len(others)} others: {_listed(others)}"


def extraction_problems(
    label: Label, stored: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    """Pair what has to be stored with the memories that are new or changed.

    One memory meets one label, so a duplicate is one too many.
    """
    parts = ("file", "name", "description", "body")
    texts = {
        one["file"]: "\n".join(one[part] for part in parts) for one in stored
    }
    for rule in label.must_not:
        phrases = [rule] if isinstance(rule, str) else rule.says
        for file in _saying(texts, phrases):
            yield f"stored what it may not: {file}"
            del texts[file]
    for must in label.must:
        meeting = _saying(texts, must.says)
        if must.updates:
            meeting = [file for file in meeting if file == must.updates]
        dated = [file for file in meeting if must.date in texts[file]]
        if not meeting:
            yield f"missed {_listed(must.says)}"
            continue
        if not dated:
            yield f"left out the date {must.date}"
        del texts[(dated or meeting)[0]]
    if texts:
        yield f"stored what nobody asked for: {_listed(texts)}"


def dream_problems(
    label: Label, before: Mapping[str, bytes], after: Mapping[str, bytes]
) -> Iterator[str]:
    """Compare the memory directory that a dream left with the conditions of
    the label. A tombstone counts as gone, and so does what cannot be read.
    """
    texts = {}
    for file, data in after.items():
        if file != INDEX and not file.startswith("logs/"):
            with suppress(MemoryFormatError):
                one = parse_memory(data)
                if not one.is_tombstone:
                    texts[file] = f"{one.name}\n{one.description}\n{one.body}"
    yield from _contents(label, texts)
    yield from _files(label, before, after, texts)
    yield from _index(label, after.get(INDEX, b"").decode(), texts)


def _contents(label: Label, texts: Texts) -> Iterator[str]:
    """Judge what the memories say."""
    for keep in label.must_keep:
        found = _saying(texts, keep.says)
        if not found or keep.file not in ("", *found):
            where = keep.file or "any memory"
            yield f"keep ({_listed(keep.says)}): it is not in {where}"
    for merge in label.must_merge:
        left = [file for file in merge.files if file in texts]
        if len(left) != 1:
            yield f"merge ({_listed(merge.files)}): {len(left)} are left"
    for drop in label.must_drop:
        said = _saying(texts, drop.says)
        if said or drop.file in texts:
            where = _listed(said) or drop.file
            yield f"drop ({drop.file}): still there: {where}"
    for settled in label.settled:
        about = f"settle ({_listed(settled.says)})"
        old = {
            file for gone in settled.gone for file in _saying(texts, [gone])
        }
        if old:
            where = _listed(sorted(old))
            yield f"{about}: the earlier statement is still in {where}"
        elif not set(settled.files).intersection(_saying(texts, settled.says)):
            yield f"{about}: is in none of the files"
    for absolute in label.must_be_absolute:
        words, date = absolute.counted.words, absolute.date
        left = [f for f in _saying(texts, [words]) if f in absolute.files]
        if left:
            yield f"absolute ({words}): it is still in {_listed(left)}"
        elif not _saying(texts, [*absolute.says, date]):
            yield f"absolute ({words}): {date} is in none of the files"
    for rule in label.must_not_say:
        if said := _saying(texts, rule.says):
            yield f"not said ({_listed(rule.says)}): is in {_listed(said)}"


def _files(
    label: Label,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    texts: Texts,
) -> Iterator[str]:
    """Judge which files are there, and what has to stay byte for byte."""
    fixed = [*label.untouched, *(log.file for log in label.logs)]
    for file in sorted({*before, *after}) if label.unchanged else fixed:
        if before.get(file) != after.get(file):
            wrong = "its bytes changed" if file in after else "gone"
            yield f"untouched ({file}): {wrong}"
    may_go = {*label.may_go, *(drop.file for drop in label.must_drop)}
    may_go.update(*(merge.files for merge in label.must_merge))
    there = {*texts, *may_go}
    gone = [one.file for one in label.memories if one.file not in there]
    new = sorted(after.keys() - before.keys())
    if gone or new:
        yield f"files ({_listed(gone)}): gone; new: {_listed(new)}"


def _index(label: Label, index: str, texts: Texts) -> Iterator[str]:
    pointers = sorted(pointer.file for pointer in parse_pointers(index))
    if pointers != sorted(texts):
        yield "index pointers: they do not match the memory files"
    longest = max(map(len, index.splitlines()), default=0)
    if longest > Settings().index_line_characters:
        yield f"index lines: one has {longest} characters"
    for kept in label.index_keeps:
        if kept not in index:
            yield f"index keeps ({kept}): no longer in the index"


def _saying(texts: Texts, phrases: Iterable[str]) -> list[str]:
    return [file for file in texts if contains_all(texts[file], phrases)]


def following_problems(label: Label, text: str, calls: Calls) -> Iterator[str]:
    """Apply the checks of a case to an answer: its text, or its first call of
    a tool. If nothing fails, the answer follows the memory.
    """
    code = "\n".join(re.findall(r"(?s)```[^\n]*\n(.*?)```", text)) or text
    for _, given in calls[:1]:
        shown = {key: str(given[key]) for key in given if key != "description"}
        text = "\n".join(shown.values())
        keys = ("content", "new_string", "command")
        code = next((shown[key] for key in keys if shown.get(key)), "")
    for check in label.complies:
        said = code if "in" in check else text.strip()
        for kind in _CHECKS.keys() & check:
            if not _CHECKS[kind](check[kind], said, calls):
                yield f"{kind}: {check[kind]}"


# by the kind of a check, whether an answer meets what is wanted
_CHECKS: Mapping[str, Callable[[Any, str, Calls], object]] = {
    "tool": lambda name, said, calls: name in [one for one, _ in calls[:1]],
    "no_tool": lambda yes, said, calls: not calls,
    "file_untouched": lambda file, said, calls: file not in str(calls),
    "max_lines": lambda most, said, calls: (
        len(re.findall(r"\S.*", said)) <= most
    ),
    "contains": lambda text, said, calls: text in said,
    "matches": lambda pattern, said, calls: re.search(pattern, said),
    "lacks_match": lambda pattern, said, calls: not re.search(pattern, said),
}
