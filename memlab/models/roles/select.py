"""The side-query: ranks the notes it was sent by the words they share with the
message.

Rules, readable below: rare words count more, endings are cut, a note must
share enough to be chosen, and not much less than the best one shares. A note
that explains a tool in use is passed over, and one that tells something else
of it is preferred. Left out: any idea of meaning. A paraphrase without a
common word is missed.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.text import words

ENOUGH = 1.2
SHARE_OF_BEST = 0.5
# What stands between the last two headings is the manifest: no line of it can
# hold a heading, and whatever the message holds comes before.
_ASKED = re.compile(
    r"^Message: (?P<query>.*)^Notes:\n(?P<notes>.*)^Tools used lately:"
    r" (?P<tools>.*)\Z",
    re.M | re.S,
)
_NOTE = re.compile(
    r"- (?:\[(?P<type>\w+)\] )?(?P<file>.+?\.md) \([^)]*\): (?P<about>.*)"
)
_LIMIT = re.compile(r"at most (\d+) notes")
_COMMON = frozenset(
    words("""
    a about again all also am an and any are as at be been but by can could did do does for from
    get go had has have he her here him his how i if in into is it its just let like made make me
    more most my need new no not now of off on one only or other our out over please pls she should
    so some such than thanks that the their them then there these they thing this those to too up us
    use used very want was way we were what when where which while who whom why will with would
    write yes you your
    """)
)
_WARNING = frozenset(
    words(
        "warn caution gotcha careful beware known bug broken fail break trap"
        " never"
    )
)
_REFERENCE = frozenset(
    words("usag referenc document guid manual option flag syntax argument")
)


@dataclass(frozen=True)
class _Note:
    file: str
    stems: frozenset[str]


def answer_select(request: ModelRequest) -> Reply:
    """Answer a side-query with JSON: the chosen file names, best first."""
    asked = _ASKED.search(request.text)
    query, lines, tools = (
        asked.group("query", "notes", "tools") if asked else ("", "", "")
    )
    found = filter(None, map(_NOTE.fullmatch, lines.splitlines()))
    notes = [_note(note["file"], note["about"]) for note in found]
    limit = _LIMIT.search(request.text)
    ranked = _rank(
        _stems(query), notes, [_stems(tool) for tool in tools.split(", ")]
    )
    chosen = ranked[: int(limit[1]) if limit else 5]
    return Reply([say(json.dumps({"selected_memories": chosen}))])


def _rank(
    query: frozenset[str], notes: list[_Note], tools: Sequence[frozenset[str]]
) -> list[str]:
    spread = Counter(stem for note in notes for stem in note.stems)
    scored = []
    for note in notes:
        shared = query & note.stems
        used = frozenset().union(
            *(tool for tool in tools if len(tool) > 1 and tool <= note.stems)
        )
        if used and _only_explains(note):
            continue
        if shared:
            shared |= used
        score = sum(
            math.log((len(notes) + 1) / spread[stem])
            for stem in sorted(shared)
        )
        if score >= ENOUGH:
            scored.append((-score, note.file))
    best = min(scored, default=(0.0, ""))[0]
    return [
        file for score, file in sorted(scored) if score <= best * SHARE_OF_BEST
    ]


def _only_explains(note: _Note) -> bool:
    return bool(note.stems & _REFERENCE) and not note.stems & _WARNING


def _note(file: str, about: str) -> _Note:
    return _Note(file, _stems(f"{file.removesuffix('.md')} {about}"))


def _stems(text: str) -> frozenset[str]:
    plain = words(text.replace("_", " "))
    return frozenset(
        _stem(word) for word in plain if word not in _COMMON and word != "mcp"
    )


def _stem(word: str) -> str:
    for ending in (
        "ations",
        "ation",
        "ings",
        "ing",
        "ies",
        "ers",
        "ed",
        "es",
        "er",
        "s",
        "e",
    ):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
