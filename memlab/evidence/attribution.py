"""Whose words are in a conversation.

Each message is cut into sentences, and each sentence gets an origin by form
alone: what the person typed is theirs, what they quoted or pasted is from
outside, and a tool's result is what the tool reads. What the assistant said is
nobody's, because it may repeat a web page. It counts as the person's words
where they agreed to it directly afterwards with a short *yes*. Code cannot
recognise irony, or a text that was pasted without any mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.quotes import without_formats, without_quotes
from memlab.evidence.requests import open_part
from memlab.evidence.sentences import Sentence, split_lines
from memlab.prompts.blocks import read_blocks
from memlab.text import (
    as_blocks,
    block_text,
    is_system_reminder,
    persons_text,
    words,
)

# A *yes* of more words says something of its own.
YES_WORDS = 8

_WISH = re.compile(
    r"(?i)\b(?:please|always|never|from now on|can|could|would|will|bitte"
    r"|immer|nie|toujours)\b"
)
_AGREES = re.compile(
    r"(?i)\b(?:yes|yeah|yep|yup|right|correct|exactly|agreed?|indeed|true"
    r"|absolutely|definitely|perfect|sure|of course|it (?:is|does)|i do"
    r"|so be it|decided|good (?:idea|call|instinct|point|plan|thinking)|ja|genau|stimmt|richtig"
    r"|einverstanden|oui|exact(?:ement)?|d['’]accord|voilà"
    r"|(?:do|remember|keep|note|save) (?:that|this|it|so)|the same)\b"
)
_DISAGREES = re.compile(
    r"(?i)\b(?:no|not|never|but|except|nein|nicht|aber|non|pas|mais)\b|n['’]t"
)


IsMemory = Callable[[str], bool]
"""Tells whether a path that a tool was given leads into the memory directory."""


def nowhere(path: str) -> bool:
    """Say of each path that it is no memory."""
    return False


def whose_words(
    messages: Sequence[Mapping[str, Any]],
    uuids: Sequence[str] = (),
    is_memory: IsMemory = nowhere,
) -> list[Source]:
    """Give the sentences of a conversation, oldest first, each with whose
    words it is made of.

    ``uuids`` names the messages in the stamps, by default by their number.
    """
    uuids = uuids or [str(number) for number in range(len(messages))]
    found: list[Source] = []
    calls: dict[str, Mapping[str, Any]] = {}
    offer = ""
    for uuid, message in zip(uuids, messages, strict=True):
        blocks = as_blocks(message["content"])
        typed = persons_text(message)
        if message["role"] == "assistant":
            offer = said_in(message) or offer
        elif blocks:
            found += _summarised(block_text(blocks[0]), uuid)
        if typed is not None:
            found += _typed(typed, offer, uuid)
            offer = ""
        for block in blocks:
            if block["type"] == "tool_use":
                calls[str(block["id"])] = block
            elif block["type"] == "tool_result":
                call = calls.get(str(block.get("tool_use_id")), {})
                arguments = call.get("input") or {}
                name = str(call.get("name", ""))
                origin = origin_of_tool(name, arguments, is_memory)
                if origin is not None:
                    found += _read(block_text(block), origin, uuid)
    return found


def said_in(message: Mapping[str, Any]) -> str:
    """Give what the person or the assistant said in a message; "" for a tool's
    result, and for what the harness adds.
    """
    if message["role"] == "user":
        return persons_text(message) or ""
    texts = [
        block
        for block in as_blocks(message["content"])
        if block["type"] == "text"
    ]
    return "\n".join(map(block_text, texts))


def origin_of_tool(
    name: str, arguments: Mapping[str, Any], is_memory: IsMemory = nowhere
) -> Origin | None:
    """Say whose words a tool's result holds; None for memory, which is a
    source already.

    Read gives a project file, unless it belongs to a dependency. Bash, Grep
    and Glob give a tool's result. All other tools reach outside.
    """
    path = str(arguments.get("file_path") or arguments.get("path") or "")
    folders = set(re.split(r"[/\\]", path)[:-1])
    if name in ("Write", "Edit") or (name == "Read" and is_memory(path)):
        return None
    if name == "Read" and not folders & _VENDORED:
        return Origin.PROJECT_FILE
    if name in ("Bash", "Grep", "Glob"):
        return Origin.TOOL_RESULT
    return Origin.OUTSIDE


_VENDORED = {"node_modules", "site-packages", "vendor", "third_party"}
_VENDORED |= {".venv", "venv", "Downloads"}


def _typed(text: str, offer: str, uuid: str) -> Iterator[Source]:
    """Give what the person said, agreed to and quoted."""
    own = split_lines(without_quotes(text))
    left = open_part(text)
    is_open = {one.key for one in split_lines(left)}
    for sentence in own:
        secret = left != text and sentence.key not in is_open
        is_question = sentence.text.endswith("?")
        if secret or not is_question or _WISH.search(sentence.text):
            yield Source(
                sentence, Stamp(Origin.PERSON, uuid), off_record=secret
            )
    answers = [one.text for one in own if not one.text.endswith("?")]
    if answers and _is_yes(answers[0]):
        for sentence in _offered(offer):
            yield Source(sentence, Stamp(Origin.PERSON, uuid))
    known = {one.key for one in own}
    whole = re.sub(r"(?m)^\s*>\s?", "", without_formats(text))
    for sentence in split_lines(whole):
        quoted = Sentence(sentence.text.strip("\"“”„«»' "))
        if quoted.key not in known:
            stamp = Stamp(Origin.OUTSIDE, uuid)
            yield Source(quoted, stamp, off_record=left != text)


def _is_yes(said: str) -> bool:
    """Tell whether a sentence agrees: it is short, or its first words do, as
    in "Right, …"."""
    first = re.split(r"[,;:]", said)[0]
    short = said if len(words(said)) <= YES_WORDS else first
    agrees = len(words(short)) <= YES_WORDS and _AGREES.search(short)
    return bool(agrees and not _DISAGREES.search(said))


def _offered(text: str) -> list[Sentence]:
    """Give what a yes answers: the last question, with what it points back to,
    or the whole.
    """
    found = split_lines(without_quotes(text))
    if not found or not found[-1].text.endswith("?"):
        return found
    return found[-1:] if found[-1].stems else found[-2:]


def _read(text: str, origin: Origin, uuid: str) -> Iterator[Source]:
    for sentence in split_lines(text):
        if sentence.stems:
            yield Source(sentence, Stamp(origin, uuid))


def _summarised(text: str, uuid: str) -> Iterator[Source]:
    """Give what a compaction has put in the place of earlier messages.

    Nobody can tell any more which of it the person said and which was on a
    web page, so its origin is unknown.
    """
    if is_system_reminder(text):
        found = read_blocks(text)
        for tag in ("summary", "session_notes"):
            for block in found.get(tag, ()):
                yield from _read(block.body, Origin.UNKNOWN, uuid)
