"""The main chat: a screenplay where one fits, a wish about memory, else a
plain reply.

Left out: answering. Rules cannot do that; the plain reply says so, lists the
memories in sight, and quotes those that share a word with the question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from memlab.models.request import ModelRequest
from memlab.models.roles.screenplay import Line, Screenplay
from memlab.models.roles.wishes import answer_wish
from memlab.models.wire import Reply, say
from memlab.text import as_blocks, block_text, shorten, words

QUOTED = 3
_POINTER = re.compile(r"^[-*+] \[.*\]\(([^)\s]+\.md)\)", re.MULTILINE)
_HOOK = re.compile(r"^[-*+] \[.*\]\(([^)\s]+\.md)\) — (.+)$", re.MULTILINE)
_REMINDER = re.compile(
    r"<system-reminder>((?:(?!<system-reminder>).)*?)</system-reminder>",
    re.DOTALL,
)
_FILE = re.compile(r"[\w.-]+\.md\b")
_GONE = re.compile(r"^No longer in memory.*", re.MULTILINE)
_ATTACHED = re.compile(
    r"<system-reminder>\nFrom memory,"
    r" \S*?([\w.-]+\.md):\n.*?^---\n.*?^---\n(.*?)"
    r"</system-reminder>",
    re.DOTALL | re.MULTILINE,
)
_IGNORE = re.compile(
    r"^(?:please )?(ignore (?:your |the |all )?memor(?:y|ies)|use (?:your"
    r" )?memory)\b"
    r"|(switched (?:memory on|saving off|memory off))",
    re.IGNORECASE | re.MULTILINE,
)


def answer_main(
    request: ModelRequest, screenplays: Sequence[Screenplay]
) -> Reply:
    """Answer the main chat."""
    if request.schema is not None:
        return Reply(
            [say(json.dumps(_smallest(request.schema, _plain(request))))]
        )
    for screenplay in screenplays:
        if line := screenplay.line_for(request):
            return Reply(_blocks(line, request))
    return answer_wish(request) or Reply([say(_plain(request))])


def memories_in_sight(request: ModelRequest) -> list[str]:
    """List the memory files a request names: pointers of an index, and
    reminders.

    None where the person wants memory ignored; a file that a reminder calls
    gone does not count.
    """
    if _ignored(request):
        return []
    named = _POINTER.findall(request.text)
    for reminder in _REMINDER.findall(request.text):
        gone = {
            name
            for line in _GONE.findall(reminder)
            for name in _FILE.findall(line)
        }
        named = [
            name
            for name in [*named, *_FILE.findall(reminder)]
            if name not in gone
        ]
    return sorted({name for name in named if name != "MEMORY.md"})


def _ignored(request: ModelRequest) -> bool:
    """Tell whether the newest word on it, the person's or a switch's, is to
    ignore memory.
    """
    told = [
        block_text(one)
        for each in request.messages
        for one in as_blocks(each["content"])
    ]
    signs = [
        "".join(found).lower()
        for text in told
        for found in _IGNORE.findall(text)
    ]
    return bool(signs) and signs[-1].startswith(
        ("ignore", "switched memory off")
    )


def _plain(request: ModelRequest) -> str:
    seen = memories_in_sight(request)
    memories = ", ".join(seen) if seen else "none"
    quoted = "".join(
        f" {name} says: “{text}”" for name, text in _bearing(request, seen)
    )
    return (
        "(rules, not a language model) You said:"
        f" {shorten(request.said, 60)!r}. No screenplay holds these words."
        f" Memories I can see in this request: {memories}.{quoted}"
    )


def _bearing(
    request: ModelRequest, seen: Sequence[str]
) -> list[tuple[str, str]]:
    """Give file and first words of memories that share a word with the
    question.

    Of a memory that was attached that is its first paragraph, of another its
    line in the index.
    """
    asked = {word for word in words(request.said) if len(word) > 3}
    told = dict(_HOOK.findall(request.text))
    told |= {
        one[1]: one[2].strip().partition("\n\n")[0]
        for reminder in _REMINDER.finditer(request.text)
        if (one := _ATTACHED.fullmatch(reminder[0]))
    }
    found = [
        (name, shorten(text, 160))
        for name, text in told.items()
        if name in seen
    ]
    return [(name, text) for name, text in found if asked & set(words(text))][
        :QUOTED
    ]


def _blocks(line: Line, request: ModelRequest) -> list[Mapping[str, Any]]:
    blocks: list[Mapping[str, Any]] = [say(line.say)] if line.say else []
    turn = len(request.messages)
    for index, tool in enumerate(line.tools, 1):
        call = f"toolu_{turn:03d}_{index:02d}"
        blocks.append(
            {
                "type": "tool_use",
                "id": call,
                "name": tool["name"],
                "input": tool["input"],
            }
        )
    return blocks


def _smallest(schema: Mapping[str, Any], text: str) -> Any:
    """Give the smallest value a JSON schema allows, with ``text`` wherever a
    string may stand.
    """
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    if kind == "object":
        wanted = schema.get("required") or ()
        parts = schema.get("properties") or {}
        return {name: _smallest(parts.get(name, {}), text) for name in wanted}
    empty: dict[Any, Any] = {
        "array": [],
        "integer": 0,
        "number": 0,
        "boolean": False,
        "null": None,
    }
    return empty.get(kind, text)
