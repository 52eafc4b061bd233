"""What a later sentence does to an earlier one: it overtakes it, or it ends
what it was about.

A sentence counts only if it says outright that something changed or is over
("now", "no longer", "instead of", "is over"). Questions, conditions and what
others are said to say do not count. Left out: changes told in any other way,
and everything that fits two values at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from memlab.memdir.dates import DAYS
from memlab.models.roles.dream_words import (
    all_values,
    stem,
    stems,
    subject_stems,
    tokens,
    values,
)

CHANGED = (
    r"(?<!^)now|no longer|not (?:\w+ ){0,4}any ?more|any ?more|instead"
    r" of|rather than|in place of"
    r"|from now on|as of|changed|moved|switched|replaced|renamed|became|has"
    r" become|since \d{4}"
)
OVER = (
    r"over|ended|finished|lifted|cancell?ed|called off|gone|switched off|shut"
    r" down|closed down"
    r"|retired|abandoned|obsolete|history|back(?: again)?|done with"
)
OPEN = (
    r"(?:if|unless|would|could|might|maybe|perhaps|suppose|imagine|in"
    r" case|should we|what if|wish"
    r"|almost|not yet|still|joking)"
)
_REPORTS = re.compile(
    r"(?<!\bI )(?<!\bwe"
    r" )\b(?:writes?|wrote|says?|said|claims?|claimed|thinks?|believes?|reports?"
    r"|suggests?|wants?|asks?)\b",
    re.I,
)
_OLD = re.compile(
    r"(?:,?\s*\b(?:and|but)\b)?[\s,(]*\b(?:no longer|instead of|rather than|in"
    r" place of|not|from)\b"
    r"\s+(?!now on\b)(?P<old>(?:[^,.;:()\s]|[.:](?=\w)|\s)+?)(?:\s+any ?more)?"
    r"(?=\s*[,;()]|\s*[.:](?:\s|$)|\s*$|\s+(?:because|since|as|to)\b)",
    re.I,
)
_LASTS = re.compile(
    r"\b(?:until|till|while|as long as|during|for the time of|as"
    r" long)\b\s+(?P<what>[^.;]+)",
    re.I,
)
_KINDS = ("time", "date", "weekday", "address", "number")
LEAST, MOST_LEFT = 2, 1
# what is longer is no sentence; several patterns here are not linear
MOST_CHARACTERS = 2_000


def is_statement(text: str) -> bool:
    """Tell whether a sentence states something of its own: no question,
    condition or hearsay.
    """
    if len(text) > MOST_CHARACTERS:
        return False
    asks = text.rstrip(" \"')").endswith("?")
    return not (
        asks or re.search(rf"\b{OPEN}\b", text, re.I) or _REPORTS.search(text)
    )


@lru_cache(maxsize=2_000)
def tells_of_change(text: str) -> bool:
    """Tell whether a sentence states that something is otherwise by now."""
    return is_statement(text) and bool(
        re.search(rf"\b(?:{CHANGED})\b", text, re.I)
    )


def overtake(old: str, new: str, context: str = "") -> str:
    """Give what an older sentence has to say after a newer one, or "" if that
    one is no news to it.

    ``context`` is the sentence before the newer one; it helps where that
    begins with a pronoun.
    """
    if not tells_of_change(new):
        return ""
    about = (
        f"{context} {new}"
        if re.match(r"(?:it|they|this|that|these)\b", new, re.I)
        else new
    )
    subject = subject_stems(old)
    shared = subject & subject_stems(about)
    named = _OLD.search(new)
    gone = named["old"] if named else ""
    rest = _OLD.sub(" ", new)
    if pair := _pair(old, rest, gone):
        enough = len(shared) >= LEAST and 2 * len(shared) >= len(subject)
        return (
            _each_week(_swap(old, *pair))
            if enough or (shared and shared == subject)
            else ""
        )
    return _reworded(old, rest, gone) if gone and not all_values(gone) else ""


def ends(memory: str, said: str) -> bool:
    """Tell whether a sentence says that what a memory was to last for is over.

    The memory has to name its own end ("until …", "while …"). A sentence that
    says what is switched off or gone counts too, if it names an address of the
    memory's.
    """
    if not is_statement(said):
        return False
    over = re.search(
        rf"\b(?:is|are|was|were|has|have|been)\b\s+(?:{OVER})\b", said, re.I
    )
    wanted, told = lasts_for(memory), subject_stems(said)
    if not wanted or re.search(r"\b(?:being|n't|not)\b", said, re.I):
        return False
    if over and wanted & subject_stems(said[: over.start()]):
        return 2 * len(wanted & told) >= len(wanted)
    if over and set(values(memory, "address")) & set(
        values(said[: over.start()], "address")
    ):
        return True
    return len(wanted) >= LEAST and wanted <= told


def lasts_for(memory: str) -> frozenset[str]:
    """Give the words of what a sentence is to last for ("until …", "while …"),
    if it names that.
    """
    lasting = _LASTS.search(memory)
    return subject_stems(lasting["what"]) if lasting else frozenset()


def rivals(old: str, new: str, decided: str) -> bool:
    """Tell whether two lines open alike and then name different things, the
    newer by decision.

    ``decided`` is the sentence of the newer memory that has to tell of the
    decision.
    """
    if old[:1].lower() != new[:1].lower():
        return False
    a, b = (
        [one for one in tokens(text) if one.lower() != "the"]
        for text in (old, new)
    )
    opening = [
        one
        for one, other in zip(a, b, strict=False)
        if one.lower() == other.lower()
    ]
    alike = len(opening) >= 3 and [x.lower() for x in a[: len(opening)]] == [
        x.lower() for x in b[: len(opening)]
    ]
    if not alike or len(subject_stems(" ".join(opening))) < LEAST:
        return False
    names = [
        rest[len(opening)][:1] for rest in (a, b) if len(rest) > len(opening)
    ]
    told = re.search(
        rf"\b(?:decided|agreed|settled|{CHANGED})\b", decided, re.I
    )
    return bool(told and len(names) == 2 and all(map(str.isupper, names)))


def follow(hook: str, memory: Sequence[str]) -> str:
    """Give a line of the index with the value that the memory's own sentences
    have by now.

    A sentence counts if it has all that the line is about; where two differ,
    the line stays.
    """
    subject = subject_stems(hook)
    told = [
        one
        for one in memory
        if len(subject) >= LEAST and subject <= subject_stems(one)
    ]
    for kind in _KINDS[:-1]:
        had, has = (
            values(hook, kind),
            {value for one in told for value in values(one, kind)},
        )
        if len(had) == len(has) == 1 and {*had} != has:
            hook = _swap(hook, had[0], has.pop())
    return hook


def clean(sentence: str) -> str:
    """Make a sentence of a conversation one of a memory: what led to it and
    "now" left out.
    """
    text = re.sub(r"^[^:]{0,60}:\s+(?=\w)", "", " ".join(sentence.split()))
    text = re.sub(
        r"\s*\b(?:from now on|any ?more|now)\b", "", text, flags=re.I
    )
    text = re.sub(r"\s+([,.;:])", r"\1", " ".join(text.split())).strip(" ,;")
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def _pair(old: str, rest: str, gone: str) -> tuple[str, str] | None:
    """Find the one value that went and the one that came, both of one kind."""
    for kind in _KINDS:
        came = [
            one for one in values(rest, kind) if one not in values(old, kind)
        ]
        had, named = (
            values(old, kind),
            {one.lower() for one in values(gone, kind)},
        )
        went = [one for one in had if one.lower() in named] if gone else had
        if kind == "number":  # which may count anything
            came = [
                one
                for one in came
                if any(_alike(rest, one, old, was) for was in went)
            ]
        if len(went) == 1 and len(came) == 1:
            return went[0], came[0]
    return None


def _alike(text: str, number: str, old: str, was: str) -> bool:
    """Tell whether a number stands before or after the same word as another
    one elsewhere.
    """
    here, there = _beside(text, number), _beside(old, was)
    return any(
        one and one == other for one, other in zip(here, there, strict=True)
    )


def _beside(text: str, number: str) -> tuple[str, str]:
    found = re.search(
        rf"(?:(\w+)\s+)?(?<![\w-]){re.escape(number)}(?![\w-])(?:\s+(\w+))?",
        text,
    )
    before, after = (found[1] or "", found[2] or "") if found else ("", "")
    return stem(before) if before else "", stem(after) if after else ""


def _swap(old: str, went: str, came: str) -> str:
    return re.sub(rf"(?<![\w.:@-]){re.escape(went)}(?![\w:@-])", came, old)


def _each_week(text: str) -> str:
    """Write "on Thursday" as "on Thursdays": what stands in a memory for long
    is no single day.
    """
    part = r"(?P<part> (?:morning|afternoon|evening|night))?"
    found = rf"(?i)\bon (?P<day>{'|'.join(DAYS)}){part}(?![\w-])(?! \d)"
    return re.sub(found, lambda one: f"{one[0]}s", text)


def _reworded(old: str, rest: str, gone: str) -> str:
    """Give the newer wording in place of a sentence of which hardly anything
    would be lost.
    """
    before, was, told = stems(gone), stems(old), stems(rest)
    core = (subject_stems(old) & told) - before
    known = 2 * len(core | (before & was)) > len(was)
    if (
        core
        and before & was
        and known
        and len(was - told - before) <= MOST_LEFT
        and told - was
    ):
        return clean(rest)
    return ""
