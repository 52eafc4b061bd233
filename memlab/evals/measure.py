"""From what a model chose, stored, changed or said to a verdict, by the labels
alone.

Each function returns what is wrong, in a few words each; nothing means that
the answer is correct. Left out: how well a memory is written. A label looks at
words, so what says the opposite in the same words meets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from memlab.errors import MemoryFormatError
from memlab.evals.labelled import Label, contains_all
from memlab.memdir.index import parse_pointers
from memlab.memdir.memory import parse_memory
from memlab.memdir.places import INDEX
from memlab.settings import Settings

_FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)


def selection_problems(label: Label, chosen: Sequence[str]) -> Iterator[str]:
    """Compare the files that were chosen with those that should be."""
    missing = sorted(set(label.relevant).difference(chosen))
    tempting = [file for file in chosen if file in label.tempting]
    wanted = {*label.relevant, *label.tempting}
    others = [file for file in chosen if file not in wanted]
    if missing:
        yield f"left out {', '.join(missing)}"
    if tempting:
        yield f"chose the tempting {', '.join(tempting)}"
    if others and not label.relevant:
        yield f"chose {', '.join(others)}, where nothing helps"
    elif len(others) > 1:
        yield f"chose {len(others)} others: {', '.join(others)}"


def extraction_problems(
    label: Label, stored: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    """Pair what has to be stored with the memories that are new or changed.

    One memory meets one label, so a duplicate is one too many.
    """
    texts = {
        memory["file"]: "\n".join(
            memory[key] for key in ("file", "name", "description", "body")
        )
        for memory in stored
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
            yield f"missed {', '.join(must.says)}"
            continue
        if not dated:
            yield f"left out the date {must.date}"
        del texts[(dated or meeting)[0]]
    if texts:
        yield f"stored what nobody asked for: {', '.join(texts)}"


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
                memory = parse_memory(data)
                if not memory.is_tombstone:
                    parts = (memory.name, memory.description, memory.body)
                    texts[file] = "\n".join(parts)
    yield from _contents(label, texts)
    yield from _files(label, before, after, texts)
    index = after.get(INDEX, b"").decode("utf-8", "replace")
    pointers = sorted(pointer.file for pointer in parse_pointers(index))
    if pointers != sorted(texts):
        yield "index pointers: they are not to the memories that there are"
    longest = max(map(len, index.splitlines()), default=0)
    if longest > Settings().index_line_characters:
        yield f"index lines: one has {longest} characters"
    for kept in label.index_keeps:
        if kept not in index:
            yield f"index keeps ({kept}): no longer in the index"


def _contents(label: Label, texts: Mapping[str, str]) -> Iterator[str]:
    """Judge what the memories say."""
    for keep in label.must_keep:
        found = _saying(texts, keep.says)
        if not found or keep.file not in ("", *found):
            where = f" in {keep.file}" if keep.file else ""
            yield _problem("keep", keep.says, f"is nowhere{where}")
    for merge in label.must_merge:
        left = [file for file in merge.files if file in texts]
        if len(left) != 1:
            shown = ", ".join(left) or "none"
            yield _problem("merge", merge.files, f"left of them: {shown}")
    for drop in label.must_drop:
        left = _saying(texts, drop.says)
        if drop.file in texts and drop.file not in left:
            left.append(drop.file)
        if left:
            yield _problem("drop", [drop.file], "still there: ", left)
    for settled in label.settled:
        old = [
            file
            for file in texts
            if any(contains_all(texts[file], [gone]) for gone in settled.gone)
        ]
        new = _saying(texts, settled.says)
        if old:
            wrong = "the earlier statement is still in "
            yield _problem("settle", settled.says, wrong, old)
        elif not set(settled.files).intersection(new):
            yield _problem("settle", settled.says, "is in none of the files")
    for absolute in label.must_be_absolute:
        words, date = absolute.counted.words, absolute.date
        left = [f for f in _saying(texts, [words]) if f in absolute.files]
        about = [f"{words} -> {date}"]
        if left:
            yield _problem("absolute", about, f"{words!r} is still in ", left)
        elif not _saying(texts, [*absolute.says, date]):
            yield _problem("absolute", about, "the date is nowhere")
    for rule in label.must_not_say:
        if said := _saying(texts, rule.says):
            yield _problem("not said", rule.says, "is in ", said)


def _files(
    label: Label,
    before: Mapping[str, bytes],
    after: Mapping[str, bytes],
    texts: Mapping[str, str],
) -> Iterator[str]:
    """Judge which files are there, and what has to stay byte for byte."""
    fixed = [*label.untouched, *(log.file for log in label.logs)]
    if label.unchanged:
        fixed = sorted({*before, *after})
    for file in fixed:
        if before.get(file) != after.get(file):
            wrong = "its bytes changed" if file in after else "gone"
            yield _problem("untouched", [file], wrong)
    may_go = {*label.may_go, *(drop.file for drop in label.must_drop)}
    may_go.update(*(merge.files for merge in label.must_merge))
    there = {*texts, *may_go}
    gone = [one.file for one in label.memories if one.file not in there]
    new = sorted(after.keys() - before.keys())
    if gone or new:
        yield _problem("files", gone, "gone; new: ", new)


def _saying(texts: Mapping[str, str], phrases: Iterable[str]) -> list[str]:
    return [file for file in texts if contains_all(texts[file], phrases)]


def _problem(
    kind: str, about: Sequence[str], wrong: str, files: Sequence[str] = ()
) -> str:
    return f"{kind} ({', '.join(about)}): {wrong}{', '.join(files)}"


def following_problems(
    label: Label, text: str, calls: Sequence[tuple[str, Mapping[str, Any]]]
) -> Iterator[str]:
    """Apply the checks of a case to an answer: its text, or its first call of
    a tool. If nothing fails, the answer follows the memory.
    """
    code = "\n".join(_FENCED.findall(text)) or text
    if calls:
        _, given = calls[0]
        shown = {key: str(given[key]) for key in given if key != "description"}
        text = "\n".join(shown.values())
        keys = ("content", "new_string", "command")
        code = next((shown[key] for key in keys if shown.get(key)), "")
    for check in label.complies:
        ((kind, wanted),) = [one for one in check.items() if one[0] != "in"]
        said = code if "in" in check else text.strip()
        if not _holds(kind, wanted, said, calls):
            yield f"{kind}: {wanted}"


def _holds(
    kind: str,
    wanted: Any,
    said: str,
    calls: Sequence[tuple[str, Mapping[str, Any]]],
) -> bool:
    """Tell whether one check of an answer holds."""
    if kind == "tool":
        return bool(calls) and bool(calls[0][0] == wanted)
    if kind == "no_tool":
        return not calls
    if kind == "file_untouched":
        return str(wanted) not in str(calls)
    if kind == "max_lines":
        lines = [line for line in said.splitlines() if line.strip()]
        return len(lines) <= int(wanted)
    if kind == "contains":
        return str(wanted) in said
    found = re.search(wanted, said) is not None
    return found if kind == "matches" else not found
