"""What may be written as a memory: one function per rule, the same for every
writer.

A rule that is sure refuses. One that may be wrong flags, and the writer
decides. What is better read live (code, git history, the state of a task) is
found by its form. Code cannot tell whether two texts say the same thing in
other words, what is true, and whether a reason is a good one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice, pairwise
from pathlib import Path

from memlab.memdir import scan
from memlab.memdir.dates import NUMBERS, blank_code, find_relative_times
from memlab.memdir.memory import (
    HEADER_KEYS,
    REQUIRED,
    Memory,
    MemoryType,
)
from memlab.memdir.paths import TEAM
from memlab.memdir.project_facts import ProjectFacts, find_project_facts
from memlab.memdir.secrets import find_secrets
from memlab.memdir.similar import FEW, LIKE, OtherMemories, contents
from memlab.settings import Settings
from memlab.text import content_words, fold_space, words

MOST = 20  # findings of one check on one memory
LAYOUT = "file-layout"
LIVE_RULES = (LAYOUT, "code-block", "git-history", "debugging", "task-state")
"""The rules on what is better read live; a person may say yes anyway."""
LIVE = "Leave it out: it can be looked up. Keep what was surprising about it"


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


def lint_memory(
    memory: Memory,
    *,
    now: datetime,
    existing: Sequence[Memory] = (),
    project_instructions: str = "",
    project: Path | None = None,
    known: str = "",
    settings: Settings | None = None,
) -> tuple[Finding, ...]:
    """Run every check on a memory to be written; ``now`` is the time of the
    message behind it.

    ``project`` is the folder whose files may say the same, and ``known`` the
    body that the memory has now. Each check gives at most ``MOST`` findings.
    """
    if memory.is_tombstone:
        return ()
    rules = (
        lint_header(memory, settings or Settings()),
        lint_scope(memory),
        lint_conflict(memory, known),
        lint_paragraphs(memory),
        lint_dates(memory, now),
        lint_secrets(memory),
        lint_never_store(memory, project, known),
        lint_duplicates(memory, existing),
        lint_repetition(memory, project_instructions),
    )
    return tuple(finding for rule in rules for finding in islice(rule, MOST))


def lint_conflict(memory: Memory, known: str = "") -> Iterator[Finding]:
    """Refuse a text with a conflict as git leaves one: no session would be
    shown it. Of one that has a conflict already, a part may be resolved.
    """
    if scan.has_conflict(memory.body) and not scan.has_conflict(known):
        yield Finding(
            "conflict",
            "refuse",
            "it has the lines that git adds to a conflict",
            "Leave these lines out, or indent them if they are an example",
        )


def lint_header(memory: Memory, settings: Settings) -> Iterator[Finding]:
    """Refuse a missing type or part and a description of many lines; flag one
    too long.
    """
    if memory.type is None:
        what = "it has no type"
        if memory.raw_type[:1] in ("[", "{"):
            what = "its type is a list, and not one word"
        elif memory.raw_type:
            what = f"there is no type {memory.raw_type!r}"
        yield Finding(
            "type", "refuse", what, f"Choose from: {', '.join(MemoryType)}"
        )
    meanings = {key: f": {HEADER_KEYS[key]}" for key in REQUIRED}
    for part, meaning in (meanings | {"body": ""}).items():
        if not getattr(memory, part).strip():
            yield Finding(
                "fields",
                "refuse",
                f"it has no {part}",
                f"Give it a {part}{meaning}",
            )
    if "\n" in memory.description.strip():
        yield Finding(
            "fields",
            "refuse",
            "its description has several lines",
            "Write one line",
        )
    limit = settings.index_line_characters
    if (
        len(f"- [{memory.name}]({memory.name}.md) — {memory.description}")
        > limit
    ):
        what = f"its line in the index has more than {limit} characters"
        yield Finding(
            "fields",
            "flag",
            what,
            "Shorten the description: the body has room",
        )


def lint_scope(memory: Memory) -> Iterator[Finding]:
    """Refuse a memory about a person where the team keeps its memories."""
    shared = memory.path is not None and memory.path.parts[:1] == (TEAM,)
    if shared and memory.type is MemoryType.user:
        yield Finding(
            "scope",
            "refuse",
            "a memory about a person is never shared with the team",
            f"Save it outside {TEAM}/, where it stays private",
        )


def lint_paragraphs(memory: Memory) -> Iterator[Finding]:
    """Refuse feedback and project without a rule, Why and How to apply (bold
    or opening a line).
    """
    rule, *rest = re.split(_MARK, blank_code(memory.body, inline=False))
    parts = {"a rule or fact": rule, "Why": "", "How to apply": ""}
    parts |= {
        fold_space(rest[i]).capitalize(): rest[i + 1]
        for i in range(0, len(rest), 2)
    }
    missing = [
        part for part, text in parts.items() if not re.search(r"\w", text)
    ]
    if missing and memory.type in (MemoryType.feedback, MemoryType.project):
        what = f"a {memory.type} memory needs {' and '.join(missing)}"
        yield Finding(
            "paragraphs",
            "refuse",
            what,
            "Without it nobody can judge an edge case",
        )


def lint_dates(memory: Memory, now: datetime) -> Iterator[Finding]:
    """Refuse a relative day or week, with the date to write instead; flag a
    vaguer time.
    """
    for time in find_relative_times(memory.text, now):
        what = f"'{fold_space(time.words)}' is true only for a while"
        severity = "refuse" if time.sure else "flag"
        instead = f"Write {time.instead or 'a date, or no time at all'}"
        yield Finding(
            "relative-date",
            severity,
            what,
            instead,
            _line(memory, time.offset),
        )


def lint_secrets(memory: Memory) -> Iterator[Finding]:
    """Refuse a secret: its kind and line are in the finding, the secret is
    not. The same secret in several places is one finding.
    """
    seen = set[str]()
    for secret in find_secrets(memory.text):
        if secret.fingerprint in seen:
            continue
        seen.add(secret.fingerprint)
        what, line = (
            f"this looks like a {secret.kind}",
            _line(memory, secret.offset),
        )
        yield Finding("secret", "refuse", what, "Write where it is kept", line)


def lint_never_store(
    memory: Memory, project: Path | None = None, known: str = ""
) -> Iterator[Finding]:
    """Refuse or flag what is better read live: files, code, git history,
    debugging, task state.

    A memory whose rule or fact is only what the project's files say is
    refused. A sentence of that kind beside others is flagged.
    """
    statement = re.split(_MARK, memory.body, maxsplit=1)[0]
    described = find_project_facts(statement, project, known)
    if described.facts:
        yield _project_fact(described)
    for fact in find_live_facts(memory.body):
        if described.facts and fact.rule == LAYOUT:
            continue
        what, severity = (
            fact.rule.replace("-", " "),
            ("refuse" if fact.sure else "flag"),
        )
        yield Finding(
            fact.rule, severity, f"never stored: {what}", LIVE, fact.line
        )


def _project_fact(described: ProjectFacts) -> Finding:
    first = described.facts[0]
    return Finding(
        LAYOUT,
        "refuse" if described.nothing_else else "flag",
        f"never stored: the project itself shows this: “{first.sentence}”",
        LIVE,
        first.line,
    )


def lint_duplicates(
    memory: Memory, existing: Sequence[Memory]
) -> Iterator[Finding]:
    """Refuse a copy of another memory (9 in 10 word pairs), flag a like one (7
    in 10 words).

    Only the most similar memory is named, the last of several that are equally
    similar.
    """
    mine, best, most = contents(memory), memory, LIKE
    likely = (
        existing.most_similar(memory)
        if isinstance(existing, OtherMemories)
        else existing
    )
    for other in likely:
        both = zip(mine, contents(other), strict=True)
        share = max(
            len(a & b) / max(min(len(a), len(b)), FEW) for a, b in both
        )
        own = other.name == memory.name or (
            other.path and other.path == memory.path
        )
        if share >= most and not own and not other.is_tombstone:
            best, most = other, share
    if best is not memory:
        a, b = (
            set(pairwise(words(f"{one.description} {one.body}")))
            for one in (memory, best)
        )
        severity = "refuse" if len(a & b) >= 0.9 * len(a | b) else "flag"
        file = f"the memory {best.name!r}"
        if best.path:
            below = not best.path.is_absolute()  # a sub-folder is shown
            file = best.path.as_posix() if below else best.path.name
        what = (
            f"{file} says"
            f" {'the same' if severity == 'refuse' else 'much the same'}"
        )
        yield Finding("duplicate", severity, what, f"Update {file} instead")


def lint_repetition(
    memory: Memory, project_instructions: str
) -> Iterator[Finding]:
    """Refuse a sentence that CLAUDE.md has (4 in 5 words); another number or a
    "not" is news.
    """
    rules = {
        rule: where
        for where, rule in reversed([*_sentences(project_instructions)])
    }
    holders: defaultdict[str, set[frozenset[str]]] = defaultdict(set)
    for rule in rules:
        for word in rule:
            holders[word].add(rule)
    seen: set[frozenset[str]] = set()
    for line, mine in _sentences(f"{memory.body}\n\n{memory.description}"):
        if mine in seen:
            continue
        seen.add(mine)
        # A rule that has 4 in 5 words of a sentence has one of any 1 in 5 and
        # one more: the rarest.
        rarest = sorted(mine, key=lambda word: len(holders.get(word, ())))[
            : len(mine) // 5 + 1
        ]
        near = set().union(*(holders.get(word, ()) for word in rarest))
        for where, rule in sorted((rules[rule], rule) for rule in near):
            same = len(mine & rule) >= 0.8 * len(mine)
            if same and not any(
                re.fullmatch(_NEWS, word) for word in mine ^ rule
            ):
                what = (
                    f"line {where} of CLAUDE.md says it, and that is in every"
                    " request"
                )
                line = line if line <= memory.body.count("\n") + 1 else 0
                yield Finding(
                    "instructions",
                    "refuse",
                    what,
                    "Keep only what is new",
                    line,
                )
                break


def _line(memory: Memory, offset: int) -> int:
    return (
        memory.body.count("\n", 0, offset) + 1
        if offset < len(memory.body)
        else 0
    )


def _sentences(text: str) -> Iterator[tuple[int, frozenset[str]]]:
    line = 1
    for start, end in pairwise(
        [0, *(end.end() for end in re.finditer(_END, text)), len(text)]
    ):
        if end - start > 6:  # four words are not shorter
            content = content_words(text[start:end])
            if len(content) >= 4:
                yield line, content
        line += text.count("\n", start, end)


_MARK = (
    r"(?im)(?:^["
    r" \t>#*_+-]*|\*\*)(why|how\s+to\s+apply)\b[*_]*(?::|\s+[–—-]\s|\s*$)[*_]*"
)
_END = r"\A\s+|[.!?;:]\W{0,3}\s\s*|\n\s*\n\s*|\n(?=\s*(?:[-*+#|>]|\d+[.)])\s)"
_NEWS = rf"not?|never|don|without|\d+|{'|'.join(NUMBERS[1:])}|\w+teen|(?:twen|thir|for|fif|six)ty"


@dataclass(frozen=True)
class LiveFact:
    """Something better read live: which rule it breaks, how surely, and in
    which line from 1.
    """

    rule: str
    sure: bool
    line: int


def find_live_facts(text: str) -> tuple[LiveFact, ...]:
    """Find what is never stored, at most one of a rule and the surest of it.

    Four lines of code are doubtful, eleven are sure.
    """
    text, found = text.replace("\r\n", "\n") + "\n", list[LiveFact]()
    small = text.lower()
    for row in _FORMS.strip().splitlines():
        rule, sure, least, signs, pattern = row.split(maxsplit=4)
        if signs != "-" and not any(
            sign in small for sign in signs.split(",")
        ):
            continue
        for part, form in (
            ("FILE", _FILE),
            ("FIXING", _FIXING),
            ("STATE", _STATE),
        ):
            pattern = pattern.replace(part, form)
        starts = [one.start() for one in re.finditer(pattern, text, re.M)]
        if len(starts) >= int(least):
            found.append(
                LiveFact(
                    rule, sure == "sure", text.count("\n", 0, starts[0]) + 1
                )
            )
    for block in re.finditer(
        r"^ *(```+|~~~+).*\n((?:.*\n)*?)(?: *\1|\Z)", text, re.M
    ):
        size = sum(bool(line.strip()) for line in block[2].splitlines())
        if size > 3:
            line = text.count("\n", 0, block.start()) + 1
            found.append(LiveFact("code-block", size > 10, line))
    return tuple(
        {
            one.rule: one for one in sorted(found, key=lambda one: one.sure)
        }.values()
    )


_FILE = r"`?[~.]{0,2}/?(?:[\w@.-]+/)*[\w@-][\w@.-]*\.(?:py|[jt]sx?|go|rs|rb|java|c|h|cpp|cs|php|sql"
_FILE += r"|sh|toml|ya?ml|json|md|html|css)\b"
_FIXING = r"\b[Tt]o (?:fix|debug|reproduce|work around) "
_STATE = r"(?:TODO|(?i:to do|next steps?|remaining|in progress|so far))"
# The rule, how sure it is, how many it takes, small letters of which some have
# to be there (- is none), and the form of one. Most texts have none of the
# letters, so that no form is looked for.
_FORMS = r"""
file-layout sure 1 ── [├└]──
file-layout sure 3 .,/ ^[ \t]*(?:(?:[-*+|]|\d+[.)])[ \t]*)?(?:FILE|`?(?:[\w-]+/)+(?=[`\s]))
file-layout flag 1 . \b(?:is|are|lives?|defined|located|found) in FILE|(?<![\w@./-])FILE:\d
file-layout flag 1 / (?<![\w@./-])FILE`?\s(?:holds|contains|defines|implements)\s
code-block  flag 1 - (?<=\n\n)(?:(?: {4,}|\t)\S.*(?:\n|\Z)){4}
git-history sure 2 - ^[-*\t ]*(?:commit )?`?(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b
git-history sure 1 # \b(?:[PM]Rs?|(?i:(?:pull|merge) requests?))\b(?:[^#]{0,80}#\d+){3}
git-history flag 3 # (?<![\w&/])#\d{2,}\b
debugging   sure 1 traceback,file,at ^ *(?:Traceback \(most|File ".+", line \d|at .+:\d+:\d+\)?$)
debugging   flag 1 fix,bug,repro,around FIXING.{0,99}:\n(?:\s{0,9}\d+[.)] .*\n?){2}
debugging   flag 1 fixed,solved,resolved \b(?:fixed|solved|resolved) by \w+ing\b
task-state  sure 1 [ ^[ \t]*[-*+] \[[ xX]\]\s
task-state  flag 1 to,next,remain,in,so ^[^\w\n]*STATE[^\w\n]*:
task-state  flag 1 we,i (?i)\b(?:we|I) (?:are|am) (?:in the middle of|working on|halfway)\b
"""
