"""What is never kept because it can be read live, told by its form.

File layout, code, git history, debugging and the state of a task age within days and are still
believed. A form that cannot be mistaken is *sure*. Left out, since code cannot tell: the same
things told in prose, and whether a block of code shows a taste or copies the repository.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class LiveFact:
    """Something better read live: which rule it breaks, how surely, and in which line from 1."""

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
        if signs != "-" and not any(sign in small for sign in signs.split(",")):
            continue
        for part, form in (("FILE", _FILE), ("FIXING", _FIXING), ("STATE", _STATE)):
            pattern = pattern.replace(part, form)
        starts = [one.start() for one in re.finditer(pattern, text, re.M)]
        if len(starts) >= int(least):
            found.append(LiveFact(rule, sure == "sure", text.count("\n", 0, starts[0]) + 1))
    for block in re.finditer(r"^ *(```+|~~~+).*\n((?:.*\n)*?)(?: *\1|\Z)", text, re.M):
        size = sum(bool(line.strip()) for line in block[2].splitlines())
        if size > 3:
            line = text.count("\n", 0, block.start()) + 1
            found.append(LiveFact("code-block", size > 10, line))
    return tuple({one.rule: one for one in sorted(found, key=lambda one: one.sure)}.values())


_FILE = r"`?[~.]{0,2}/?(?:[\w@.-]+/)*[\w@-][\w@.-]*\.(?:py|[jt]sx?|go|rs|rb|java|c|h|cpp|cs|php|sql"
_FILE += r"|sh|toml|ya?ml|json|md|html|css)\b"
_FIXING = r"\b[Tt]o (?:fix|debug|reproduce|work around) "
_STATE = r"(?:TODO|(?i:to do|next steps?|remaining|in progress|so far))"
# The rule, how sure it is, how many it takes, small letters of which some have to be there (- is
# none), and the form of one. Most texts have none of the letters, so that no form is looked for.
_FORMS = r"""
file-layout sure 1 ── [├└]──
file-layout sure 3 .,/ ^[ \t]*(?:(?:[-*+|]|\d+[.)])[ \t]*)?(?:FILE|`?(?:[\w-]+/)+(?=[`\s]))
file-layout flag 1 . \b(?:is|are|lives?|defined|located|found) in FILE|(?<![\w@./-])FILE:\d
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
