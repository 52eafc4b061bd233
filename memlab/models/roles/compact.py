"""The summary of a long conversation, by rules: the thread stays, the detail
goes.

Who speaks, what was asked first and last, and which files were touched are
taken from the request. What the person likes is only named by its kind ("has
code style preferences"), because that is how summaries lose it, and the course
wants that to be seen every time. A language model keeps more on some days.
Left out: any judgement of what mattered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from memlab.models.request import ModelRequest, said_by_person
from memlab.models.wire import Reply, say
from memlab.text import as_blocks, shorten, words

BLURRED: Mapping[str, frozenset[str]] = {
    "has code style preferences, which new code should follow.": frozenset(
        words(
            "tab tabs space spaces quote quotes indent indentation hints"
            " naming"
        )
    ),
    "has wishes about the form of answers.": frozenset(
        words("answer answers reply replies")
    ),
    "has said how the work is to be done.": frozenset(
        words("commit tests ask dependency package")
    ),
}
_WISH = frozenset(
    words(
        "always at first like most must never not only please prefer want"
        " without"
    )
)
_NAME = re.compile(r"\b(?:I'm|I am|my name is) ([A-Z][a-z]+)\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_HELPED = {"Edit": "Changed", "Write": "Wrote"}


def answer_compact(request: ModelRequest) -> Reply:
    """Answer with a summary under the headings that the request asks for."""
    spoken = [
        said_by_person(one)
        for one in request.messages[:-1]
        if one["role"] == "user"
    ]
    said = [text for text in spoken if text] or ["Nothing that could be read."]
    told = {
        "Goal": [shorten(_without_wishes(said[0]), 160)],
        "Done": _touched(request) or ["Nothing was changed."],
        "Remaining": [
            f"The newest request: {shorten(_without_wishes(said[-1]), 120)}"
        ],
        "Constraints": _constraints(said) or ["None were named."],
    }
    asked = [
        heading
        for heading in re.findall(r"^## (\w+)$", request.text, re.M)
        if heading in told
    ]
    parts = [
        f"## {heading}\n" + "\n".join(f"- {line}" for line in told[heading])
        for heading in dict.fromkeys(asked)
    ]
    return Reply([say("\n\n".join(parts) or "There is nothing to summarise.")])


def _touched(request: ModelRequest) -> list[str]:
    """List the files that were changed, each once, by name; failed calls do
    not count.
    """
    blocks = [
        one
        for message in request.messages
        for one in as_blocks(message["content"])
    ]
    failed = {one["tool_use_id"] for one in blocks if one.get("is_error")}
    lines = [
        f"{_HELPED[one['name']]}"
        f" {PurePosixPath(one['input']['file_path']).name}."
        for one in blocks
        if one["type"] == "tool_use"
        and one["name"] in _HELPED
        and one["id"] not in failed
    ]
    return list(dict.fromkeys(lines))


def _constraints(said: list[str]) -> list[str]:
    """Name the kinds of wishes in the person's sentences, and none of the
    wishes.
    """
    names = [found.group(1) for text in said if (found := _NAME.search(text))]
    wishes = [
        kind
        for text in said
        for one in _SENTENCE.split(text)
        for kind in _kinds(one)
    ]
    who = names[0] if names else "The person"
    return [f"{who} {kind}" for kind in BLURRED if kind in wishes]


def _kinds(sentence: str) -> list[str]:
    """Tell which kinds of wishes a sentence holds."""
    heard = frozenset(words(sentence))
    return [
        kind
        for kind, signs in BLURRED.items()
        if heard & _WISH and heard & signs
    ]


def _without_wishes(text: str) -> str:
    rest = " ".join(one for one in _SENTENCE.split(text) if not _kinds(one))
    return (
        rest
        or "What the person asked for, in the way the person asked for it."
    )
