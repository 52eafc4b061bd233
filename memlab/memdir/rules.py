"""What may be written as a memory: one function per rule, the same for every
writer.

A rule that is sure refuses. One that may be wrong flags, and the writer
decides. What is better read live (code, files, git history, the state of a
task) is found by its form alone: this module opens no file. The forms, and what to
do about each finding, are in ``rules.toml``. This module does not know
whether two texts say the same in other words, whose words they are, what is
true, and whether a reason is a good one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, pairwise
from pathlib import Path

from memlab.memdir import scan
from memlab.memdir.dates import blank_code, find_relative_times
from memlab.memdir.memory import REQUIRED, Memory, MemoryType
from memlab.memdir.places import TEAM
from memlab.memdir.secrets import find_secrets
from memlab.settings import Settings
from memlab.text import content_words, fold_space, words

MOST = 20  # findings of one rule on one memory
SAME = 0.9  # share of the word pairs that makes one memory a copy of another
LIKE = 0.7  # share of the words that makes two memories alike
FEW = 5  # a text of fewer words counts as one of five
_SENTENCES = 500  # of one memory that are compared with CLAUDE.md
_TABLE = tomllib.loads(
    Path(__file__).with_name("rules.toml").read_text("utf-8")
)
_DO: dict[str, str] = _TABLE["do"]
_PATTERN: dict[str, str] = _TABLE["pattern"]
_NEWS = re.compile(_PATTERN["news"])
_SENTENCE_END = re.compile(_PATTERN["end_of_sentence"])


@dataclass(frozen=True)
class Finding:
    """What a rule found.

    The severity is "refuse" or "flag" before a memory is written, and the line
    is that of its body, from 1 (0: not in the body). In the doctor's findings
    it is "error", "warning" or "note", and the line is that of ``file``, a
    path below the directory; ``why`` says why the rule matters.
    """

    rule: str
    severity: str
    message: str
    suggestion: str = ""
    line: int = 0
    file: str = ""
    why: str = ""


def check(
    memory: Memory,
    now: datetime,
    others: Sequence[Memory] = (),
    *,
    known: str = "",
    project_instructions: str = "",
) -> list[Finding]:
    """Run every rule on a memory that is about to be written.

    ``now`` is the time of the message behind it, in the person's zone, and
    ``known`` the body that the memory has now. ``project_instructions`` is the
    text of CLAUDE.md. Each rule gives at most ``MOST`` findings. A tombstone
    has none.
    """
    if memory.is_tombstone:
        return []
    rules = (
        structure(memory),
        scope(memory),
        paragraphs(memory, known),
        placeholders(memory, known),
        relative_dates(memory, now, known),
        secrets(memory),
        better_read_live(memory.body),
        duplicates(memory, others),
        repetitions(memory, project_instructions),
    )
    return [finding for rule in rules for finding in islice(rule, MOST)]


def structure(memory: Memory) -> Iterator[Finding]:
    """Refuse a missing type or part, and a description of several lines; flag
    one that makes the line in the index too long.
    """
    if memory.type is None:
        what = f"there is no type {memory.raw_type!r}"
        if not memory.raw_type:
            what = "it has no type"
        if memory.raw_type[:1] in ("[", "{"):
            what = "its type is a list, and not one word"
        yield Finding("type", "refuse", what, _DO["type"])
    for part in (*REQUIRED, "body"):
        if not getattr(memory, part).strip():
            what = f"it has no {part}"
            yield Finding("fields", "refuse", what, f"Give it a {part}")
    if "\n" in memory.description.strip():
        what = "its description has several lines"
        yield Finding("fields", "refuse", what, _DO["long-line"])
    file = memory.path.name if memory.path else f"{memory.name}.md"
    pointer = f"- [{memory.name}]({file}) — {memory.description}"
    over = len(pointer) - Settings().index_line_characters
    if over > 0:
        what = f"its line in the index is {over} characters too long"
        yield Finding("fields", "flag", what, _DO["long-line"])


def scope(memory: Memory) -> Iterator[Finding]:
    """Refuse a memory about a person where the team keeps its memories."""
    in_team = memory.path is not None and memory.path.parts[:1] == (TEAM,)
    if in_team and memory.type is MemoryType.user:
        what = "a memory about a person is never shared with the team"
        yield Finding("scope", "refuse", what, _DO["scope"])


def paragraphs(memory: Memory, known: str) -> Iterator[Finding]:
    """Refuse feedback and project without a rule, Why and How to apply (bold,
    or at the start of a line).

    What ``known`` has not either is only flagged, so that a text without a
    reason can be corrected.
    """
    missing = _missing_parts(memory.body)
    if missing and memory.type in (MemoryType.feedback, MemoryType.project):
        is_old = known and {*missing} <= {*_missing_parts(known)}
        severity = "flag" if is_old else "refuse"
        what = f"a {memory.type} memory needs {' and '.join(missing)}"
        yield Finding("paragraphs", severity, what, _DO["paragraphs"])


def _missing_parts(body: str) -> list[str]:
    text = blank_code(body, inline=False)
    parts: dict[str, str] = _TABLE["part"]
    return [part for part in parts if not re.search(parts[part], text)]


def placeholders(memory: Memory, known: str) -> Iterator[Finding]:
    """Refuse a line that stands for text which its writer left out, and the
    lines that git adds to a conflict, unless ``known`` has such lines already:
    of that text, a part may be resolved.
    """
    if scan.has_conflict(memory.body) and not scan.has_conflict(known):
        what = "it has the lines that git adds to a conflict"
        yield Finding("conflict", "refuse", what, _DO["conflict"])
    text = blank_code(memory.body)
    for found in re.finditer(_PATTERN["placeholder"], text):
        what = f"'{fold_space(found[0])}' stands for text that is not there"
        line = _line(memory, found.start())
        yield Finding("placeholder", "refuse", what, _DO["placeholder"], line)


def relative_dates(
    memory: Memory, now: datetime, known: str = ""
) -> Iterator[Finding]:
    """Refuse a relative day or week, with the date to write instead; flag a
    vaguer time, and one in a line that ``known`` has already: its day may be
    unknown.
    """
    text, old = memory.text, known.splitlines()
    for time in find_relative_times(text, now):
        start = text.rfind("\n", 0, time.offset) + 1
        is_new = text[start:].partition("\n")[0] not in old
        severity = "refuse" if time.sure and is_new else "flag"
        what = f"'{fold_space(time.words)}' is true only for a while"
        do = f"Write {time.instead or 'a date, or no time at all'}"
        yield Finding(
            "relative-date", severity, what, do, _line(memory, time.offset)
        )


def secrets(memory: Memory) -> Iterator[Finding]:
    """Refuse each secret once. Its kind and line are in the finding; the
    secret is not.
    """
    found = reversed(find_secrets(memory.text))
    each = {one.fingerprint: one for one in found}
    for secret in each.values():
        what = f"this looks like a {secret.kind}"
        line = _line(memory, secret.offset)
        yield Finding("secret", "refuse", what, _DO["secret"], line)


def better_read_live(body: str) -> Iterator[Finding]:
    """Refuse or flag files, code, git history, debugging and task state.

    Of each rule there is one finding, a sure one before a doubtful one. Four
    lines of code are doubtful, eleven are sure.
    """
    text = body.replace("\r\n", "\n") + "\n"
    small = text.lower()
    told = set()
    for form in _TABLE["form"]:
        rule = form["rule"]
        if rule in told or not any(sign in small for sign in form["signs"]):
            continue
        pattern = form["pattern"].replace("{{file}}", _PATTERN["file"])
        starts = [
            found.start()
            for found in re.finditer(pattern, text, re.MULTILINE)
            if found[0].count("\n") >= form.get("lines", 0)
        ]
        if len(starts) >= form["least"]:
            told.add(rule)
            what = f"never stored: {rule.replace('-', ' ')}"
            line = text.count("\n", 0, starts[0]) + 1
            yield Finding(rule, form["severity"], what, _DO["live"], line)


def duplicates(memory: Memory, others: Sequence[Memory]) -> Iterator[Finding]:
    """Refuse a copy of another memory (``SAME``), flag one that is like it
    (``LIKE``). Only the most similar memory is named, the last of several.
    """
    mine, most, best = contents(memory), LIKE, None
    for other in others:
        is_own = other.path is not None and other.path == memory.path
        if is_own or other.name == memory.name or other.is_tombstone:
            continue
        for a, b in zip(mine, contents(other), strict=True):
            share = len(a & b) / max(min(len(a), len(b)), FEW)
            if share >= most:
                most, best = share, other
    if best is not None:
        said = [f"{one.description} {one.body}" for one in (memory, best)]
        new, old = [{*pairwise(words(text))} for text in said]
        is_copy = len(new & old) >= SAME * len(new | old)
        file = best.name
        if best.path:  # the folder counts, where the path is not a full one
            is_full = best.path.is_absolute()
            file = best.path.name if is_full else best.path.as_posix()
        what = f"{file} says {'the same' if is_copy else 'much the same'}"
        severity = "refuse" if is_copy else "flag"
        yield Finding("duplicate", severity, what, f"Update {file} instead")


def contents(memory: Memory) -> tuple[frozenset[str], frozenset[str]]:
    """Give what two memories are compared by: the words of the whole, and of
    the description.
    """
    return content_words(memory.text), content_words(memory.description)


def repetitions(
    memory: Memory, project_instructions: str
) -> Iterator[Finding]:
    """Refuse a sentence of four words or more that CLAUDE.md has as well (four
    in five words); another number or a "not" is news.
    """
    rules = list(_sentences(project_instructions))
    for start, mine in islice(_sentences(memory.text), _SENTENCES):
        for place, rule in rules:
            is_same = len(mine & rule) >= 0.8 * len(mine)
            if is_same and not any(map(_NEWS.match, mine ^ rule)):
                where = project_instructions.count("\n", 0, place) + 1
                what = f"line {where} of CLAUDE.md says it, and that is in every request"
                line, do = _line(memory, start), _DO["instructions"]
                yield Finding("instructions", "refuse", what, do, line)
                break


def _sentences(text: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Give the offset and the words of each sentence of four words or more."""
    ends = [one.end() for one in _SENTENCE_END.finditer(text)]
    for start, end in pairwise([0, *ends, len(text)]):
        content = content_words(text[start:end])
        if len(content) >= 4:
            yield start, content


def _line(memory: Memory, offset: int) -> int:
    body = memory.body
    return body.count("\n", 0, offset) + 1 if offset < len(body) else 0
