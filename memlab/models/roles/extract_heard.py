"""What an extraction was sent, taken apart: who said what when, the memories,
the rules.

Only the person's own words are kept: what is quoted, pasted or marked as
coming from elsewhere is cut out first. Of the agent's words the last ones
before each message stay, because a person may agree to them. Left out: tool
results, which are never anybody's wish.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memlab.models.request import ModelRequest
from memlab.text import as_blocks, block_text, fold_space

LONGEST = 600


@dataclass(frozen=True)
class Known:
    """A line of the manifest: a memory that is there."""

    file: str
    type: str
    about: str


@dataclass(frozen=True)
class Message:
    """One message of the person: their sentences, and what the agent said just
    before and after.

    ``at`` is its time, None for one that is not new.
    """

    sentences: tuple[str, ...]
    before: tuple[str, ...]
    after: str
    at: datetime | None


@dataclass(frozen=True)
class Asked:
    """A whole request to extract, and the calls and results that followed it."""

    directory: str
    known: tuple[Known, ...]
    instructions: str
    messages: tuple[Message, ...]
    calls: tuple[tuple[Mapping[str, Any], Mapping[str, Any] | None], ...]


def read_request(request: ModelRequest) -> Asked | None:
    """Take a request apart; None where its last words are no request to
    extract.
    """
    messages = request.messages
    place = max(
        (n for n, one in enumerate(messages) if _typed(one)), default=-1
    )
    sections = _sections(_typed(messages[place])) if place >= 0 else None
    if sections is None:
        return None
    top, directory, listed, manifest, instructions = sections
    count = re.search(r"last (\d+) messages", top)
    times = {int(one[1]): _moment(one[2]) for one in _LISTED.finditer(listed)}
    found = filter(None, map(_NOTE.fullmatch, manifest.splitlines()))
    return Asked(
        fold_space(directory).split(" ")[0].strip("`"),
        tuple(
            Known(one["file"], one["type"] or "", one["about"])
            for one in found
        ),
        re.sub(r"(?m)^> ?", "", instructions),
        tuple(
            _messages(
                messages[:place], int(count[1]) if count else place, times
            )
        ),
        tuple(_calls(messages[place + 1 :])),
    )


def sentences_of(text: str) -> tuple[str, ...]:
    """Split a text into sentences; a semicolon and the end of a line end one
    too.

    What is far too long for one was pasted, and is left out.
    """
    parts = re.split(
        r"(?<=[.!?…])[\"')]?\s+(?!\.)|(?<=;)\s+|\n+",
        _ABBREVIATED.sub(r"\1․", text),
    )
    told = (fold_space(part).replace("․", ".") for part in parts)
    return tuple(one for one in told if 0 < len(one) <= LONGEST)


def own_words(text: str) -> str:
    """Cut out what is not the person's own: tags, fences, quotations, logs,
    pasted paragraphs.
    """
    for pattern in _FOREIGN:
        text = pattern.sub("\n", text)
    return _QUOTED.sub(
        lambda one: one[0] if one[0].count(" ") < 3 else " … ", text
    )


_LISTED = re.compile(r"(?m)^- (\d+) of \d+, (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_HEADINGS = (
    "## The memory directory",
    "## The new messages",
    "## The memories there are",
    "## What CLAUDE.md says",
    "## How to work",
)
_NOTE = re.compile(
    r"- (?:\[(?P<type>\w+)\] )?(?P<file>.+?\.md) \([^)]*\): ?(?P<about>.*)"
)
_ABBREVIATED = re.compile(
    r"\b(\d\d?(?=\."
    r" (?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))|e\.g|i\.e|vs|etc|approx"
    r"|Mr|Mrs|Dr|St|No|z\.B|bzw|ca|p\.ex|M)\b\."
)
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»"
    r"|(?<!\w)['‘](?=\w)(?:[^'’\n]|(?<=\w)['’](?=\w))*['’](?!\w)"
)
_SPEAKS = (
    r"writ|wrote|sa(?:y|id)|mail|message|log|output|letter|chat|paste|copied|forward|reads"
    r"|told"
)
_FOREIGN = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?i)(?:{_SPEAKS})[^\n]{{0,60}}:["
            r" ]*\n(?:\s*\n)?(?!\s*[>`~])(?:(?!\n\s*\n)[\s\S])+"
        ),
        r"(?is)<([a-z][\w-]*)\b[^>]*>.*?</\1\s*>|<!--.*?-->",
        r"(?sm)^\s*(```+|~~~+).*?(?:^\s*\1|\Z)",
        r"(?m)^\s*(?:>|\||\+|\$|#(?=\s)).*$",
        r"(?sm)^---\s*\n.*?^---\s*$",
        r"(?m)^(?: {4,}|\t).*$",
        r"(?m)^\s*(?:\[?\d\d:\d\d(?::\d\d)?\]?|\w[\w"
        r" ]{0,20}>|(?i:user|human|assistant|bot|system"
        r"|from|subject|to|author|commit|date)\s*:)\s.*$",
    )
)


def _sections(text: str) -> list[str] | None:
    """Cut the request at its headings; no line of what stands between can pass
    for one.
    """
    parts, rest = [], text
    for heading in _HEADINGS:
        part, found, rest = rest.partition(f"\n{heading}\n")
        if not found:
            return None
        parts.append(part.strip())
    return parts


def _typed(message: Mapping[str, Any]) -> str:
    """Give a user message's text without reminders, its lines kept; empty for
    tool results.
    """
    if message["role"] != "user":
        return ""
    blocks = as_blocks(message["content"])
    text = "\n".join(
        block_text(one) for one in blocks if one["type"] == "text"
    )
    return re.sub(
        r"(?s)<system-reminder>.*?</system-reminder>", "", text
    ).strip()


def _messages(
    messages: Sequence[Mapping[str, Any]],
    count: int,
    times: Mapping[int, datetime],
) -> Iterator[Message]:
    """Give the person's messages; only one whose time is told counts as new."""
    said = [n for n, message in enumerate(messages) if _typed(message)]
    first = len(messages) - count
    for n, end in zip(said, [*said[1:], len(messages)], strict=True):
        own = sentences_of(own_words(_typed(messages[n])))
        before = sentences_of(own_words(_last_answer(messages[:n])))
        after = " ".join(map(_answer, messages[n:end]))
        yield Message(own, before, after, times.get(n - first + 1))


def _last_answer(messages: Sequence[Mapping[str, Any]]) -> str:
    return next(filter(None, map(_answer, reversed(messages))), "")


def _answer(message: Mapping[str, Any]) -> str:
    if message["role"] != "assistant":
        return ""
    return "\n".join(
        block_text(one)
        for one in as_blocks(message["content"])
        if one["type"] == "text"
    )


def _calls(
    messages: Sequence[Mapping[str, Any]],
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    blocks = [
        one for message in messages for one in as_blocks(message["content"])
    ]
    results = {
        one["tool_use_id"]: one
        for one in blocks
        if one["type"] == "tool_result"
    }
    return (
        (one, results.get(one["id"]))
        for one in blocks
        if one["type"] == "tool_use"
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
