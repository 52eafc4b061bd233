"""What may be written as a memory: one function per rule, the same for every
writer.

A rule that is sure refuses. One that may be wrong flags, and the writer
decides. What is better read live (code, files, git history, the state of a
task) is found by its form alone: this module opens no file. It does not know
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
from memlab.memdir.memory import HEADER_KEYS, REQUIRED, Memory, MemoryType
from memlab.memdir.places import TEAM
from memlab.memdir.secrets import find_secrets
from memlab.settings import Settings
from memlab.text import content_words, fold_space, words

MOST = 20  # findings of one rule on one memory
SAME = 0.9  # share of the word pairs that makes one memory a copy of another
LIKE = 0.7  # share of the words that makes two memories alike
_SENTENCES = 500  # of one memory that are compared with CLAUDE.md
FEW = 5  # a text of fewer words counts as one of five
LIVE_RULES = (
    "file-layout",
    "code-block",
    "git-history",
    "debugging",
    "task-state",
)
"""The rules on what is better read live; a person may say yes anyway."""


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
    settings: Settings | None = None,
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
        header(memory, (settings or Settings()).index_line_characters),
        scope(memory),
        placeholders(memory),
        conflicts(memory, known),
        paragraphs(memory, known),
        relative_dates(memory, now),
        secrets(memory),
        better_read_live(memory.body),
        duplicates(memory, others),
        repetitions(memory, project_instructions),
    )
    return [finding for rule in rules for finding in islice(rule, MOST)]


def header(memory: Memory, longest: int) -> Iterator[Finding]:
    """Refuse a missing type or part and a description of several lines;
    flag one that makes the pointer longer than ``longest`` characters.
    """
    types = f"Choose from: {', '.join(MemoryType)}"
    if memory.type is None:
        what = "it has no type"
        if memory.raw_type[:1] in ("[", "{"):
            what = "its type is a list, and not one word"
        elif memory.raw_type:
            what = f"there is no type {memory.raw_type!r}"
        yield Finding("type", "refuse", what, types)
    meanings = {key: f": {HEADER_KEYS[key]}" for key in REQUIRED}
    for part, meaning in (meanings | {"body": ""}).items():
        if not getattr(memory, part).strip():
            do = f"Give it a {part}{meaning}"
            yield Finding("fields", "refuse", f"it has no {part}", do)
    if "\n" in memory.description.strip():
        what = "its description has several lines"
        yield Finding("fields", "refuse", what, "Write one line")
    if (
        len(f"- [{memory.name}]({memory.name}.md) — {memory.description}")
        > longest
    ):
        what = f"its line in the index has more than {longest} characters"
        do = "Shorten the description: the body has room"
        yield Finding("fields", "flag", what, do)


def scope(memory: Memory) -> Iterator[Finding]:
    """Refuse a memory about a person where the team keeps its memories."""
    shared = memory.path is not None and memory.path.parts[:1] == (TEAM,)
    if shared and memory.type is MemoryType.user:
        what = "a memory about a person is never shared with the team"
        do = f"Save it outside {TEAM}/, where it stays private"
        yield Finding("scope", "refuse", what, do)


def placeholders(memory: Memory) -> Iterator[Finding]:
    """Refuse a line that stands for text which its writer left out."""
    for found in _PLACEHOLDER.finditer(blank_code(memory.body)):
        what = f"'{fold_space(found[0])}' stands for text that is not there"
        do = "Write the whole text, or change only a part of it with Edit"
        yield Finding(
            "placeholder", "refuse", what, do, _line(memory, found.start())
        )


def conflicts(memory: Memory, known: str) -> Iterator[Finding]:
    """Refuse the lines that git adds to a conflict, unless ``known`` has them
    already: of such a text, a part may be resolved.
    """
    if scan.has_conflict(memory.body) and not scan.has_conflict(known):
        what = "it has the lines that git adds to a conflict"
        do = "Leave these lines out, or indent them if they are an example"
        yield Finding("conflict", "refuse", what, do)


def paragraphs(memory: Memory, known: str) -> Iterator[Finding]:
    """Refuse feedback and project without a rule, Why and How to apply (bold,
    or at the start of a line).

    Where ``known`` has no reason either, that is only flagged, so that a text
    without one can be corrected.
    """
    if memory.type not in (MemoryType.feedback, MemoryType.project):
        return
    missing = _missing_parts(memory.body)
    if missing:
        reasons = {*_missing_parts(known)} - {"a rule or fact"}
        still = known.strip() and reasons.issuperset(missing)
        severity = "flag" if still else "refuse"
        what = f"a {memory.type} memory needs {' and '.join(missing)}"
        do = "Without it nobody can judge an edge case"
        yield Finding("paragraphs", severity, what, do)


def _missing_parts(body: str) -> list[str]:
    rule, *rest = _PARAGRAPH.split(blank_code(body, inline=False))
    parts = {"a rule or fact": rule, "Why": "", "How to apply": ""}
    for name, text in zip(rest[::2], rest[1::2], strict=True):
        parts[fold_space(name).capitalize()] = text
    return [part for part, text in parts.items() if not re.search(r"\w", text)]


def relative_dates(memory: Memory, now: datetime) -> Iterator[Finding]:
    """Refuse a relative day or week, with the date to write instead; flag a
    vaguer time.
    """
    for time in find_relative_times(memory.text, now):
        severity = "refuse" if time.sure else "flag"
        what = f"'{fold_space(time.words)}' is true only for a while"
        do = f"Write {time.instead or 'a date, or no time at all'}"
        yield Finding(
            "relative-date", severity, what, do, _line(memory, time.offset)
        )


def secrets(memory: Memory) -> Iterator[Finding]:
    """Refuse each secret once. Its kind and line are in the finding; the
    secret is not.
    """
    each = {
        secret.fingerprint: secret
        for secret in reversed(find_secrets(memory.text))
    }
    for secret in reversed(each.values()):
        what, line = (
            f"this looks like a {secret.kind}",
            _line(memory, secret.offset),
        )
        yield Finding("secret", "refuse", what, "Write where it is kept", line)


def better_read_live(body: str) -> Iterator[Finding]:
    """Refuse or flag files, code, git history, debugging and task state.

    Of each rule there is one finding, a sure one before a doubtful one. Four
    lines of code are doubtful, eleven are sure.
    """
    text = body.replace("\r\n", "\n") + "\n"
    small = text.lower()
    found = list[Finding]()

    def note(rule: str, severity: str, start: int) -> None:
        what, line = (
            f"never stored: {rule.replace('-', ' ')}",
            text.count("\n", 0, start),
        )
        found.append(Finding(rule, severity, what, _LIVE, line + 1))

    for form, pattern in _LIVE_FORMS:
        if any(sign in small for sign in form["signs"]):
            starts = [match.start() for match in pattern.finditer(text)]
            if len(starts) >= form["least"]:
                note(form["rule"], form["severity"], starts[0])
    for block in re.finditer(_CODE_BLOCK, text):
        size = sum(bool(line.strip()) for line in block["code"].splitlines())
        if size > 3:
            note(
                "code-block", "refuse" if size > 10 else "flag", block.start()
            )
    found.sort(key=lambda finding: finding.severity == "refuse")
    yield from {finding.rule: finding for finding in found}.values()


def duplicates(memory: Memory, others: Sequence[Memory]) -> Iterator[Finding]:
    """Refuse a copy of another memory (``SAME``), flag one that is like it
    (``LIKE``).

    Only the most similar memory is named, the last of several.
    """
    mine, most, best = contents(memory), LIKE, memory
    for other in others:
        its_own = other.path == memory.path if other.path else False
        if its_own or other.name == memory.name or other.is_tombstone:
            continue
        pairs = zip(mine, contents(other), strict=True)
        share = max(
            len(a & b) / max(min(len(a), len(b)), FEW) for a, b in pairs
        )
        if share >= most:
            most, best = share, other
    if best is not memory:
        a = set(pairwise(words(f"{memory.description} {memory.body}")))
        b = set(pairwise(words(f"{best.description} {best.body}")))
        is_copy = len(a & b) >= SAME * len(a | b)
        file = f"the memory {best.name!r}"
        if best.path:
            file = (
                best.path.name
                if best.path.is_absolute()
                else best.path.as_posix()
            )
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
    last = memory.body.count("\n") + 1
    said = _sentences(f"{memory.body}\n\n{memory.description}")
    first = {
        mine: line for line, mine in reversed(list(islice(said, _SENTENCES)))
    }
    for mine, line in reversed(first.items()):
        for where, rule in rules:
            if len(mine & rule) < 0.8 * len(mine):
                continue
            if not any(_NEWS.match(word) for word in mine ^ rule):
                what = f"line {where} of CLAUDE.md says it, and that is in every request"
                place = line if line <= last else 0
                do = "Keep only what is new"
                yield Finding("instructions", "refuse", what, do, place)
                break


def _sentences(text: str) -> Iterator[tuple[int, frozenset[str]]]:
    """Give the line and the words of each sentence of four words or more."""
    ends = [end.end() for end in _SENTENCE_END.finditer(text)]
    line = 1
    for start, end in pairwise([0, *ends, len(text)]):
        content = content_words(text[start:end])
        if len(content) >= 4:
            yield line, content
        line += text.count("\n", start, end)


def _line(memory: Memory, offset: int) -> int:
    body = memory.body
    return body.count("\n", 0, offset) + 1 if offset < len(body) else 0


_LIVE = "Leave it out: it can be looked up. Keep what was surprising about it"
_TABLE = tomllib.loads(
    Path(__file__).with_name("rules.toml").read_text("utf-8")
)
_LIVE_FORMS = [
    (
        form,
        re.compile(
            form["pattern"].replace("{{file}}", _TABLE["file"]), re.MULTILINE
        ),
    )
    for form in _TABLE["form"]
]
_CODE_BLOCK = r"(?m)^ *(```+|~~~+).*\n(?P<code>(?:.*\n)*?)(?: *\1|\Z)"
_PLACEHOLDER = re.compile(_TABLE["placeholder"].strip(), re.VERBOSE)
_PARAGRAPH = re.compile(_TABLE["paragraph"], re.VERBOSE)
_SENTENCE_END = re.compile(_TABLE["end_of_sentence"], re.VERBOSE)
_NEWS = re.compile(_TABLE["news"], re.VERBOSE)
