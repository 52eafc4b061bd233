"""What in a message is worth a memory, by its form alone.

What follows "Remember" is taken word for word. A preference, a standing rule,
a decision, a coming day and a place to look are one memory each, with the
sentence as its body. Questions, suppositions, passing choices, quotations and
what is off the record make none. There is no understanding of language here;
the forms are in ``forms.toml``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from memlab import text as texts
from memlab.evidence.quotes import without_formats, without_quotes
from memlab.evidence.requests import asks_to_ignore_memory, open_part
from memlab.evidence.sentences import split_lines
from memlab.memdir.dates import find_relative_times
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.rules import better_read_live
from memlab.memdir.secrets import find_secrets
from memlab.text import shorten, words

TITLE_CHARACTERS, TOPICS = 60, 5

_TABLE = tomllib.loads(
    Path(__file__).with_name("forms.toml").read_text("utf-8")
)


ANSWERS: dict[str, str] = _TABLE["answers"]


class Statement(NamedTuple):
    """What is worth a memory, and whether the person asked for one."""

    text: str
    kind: MemoryType
    asked: bool


def says(form: str, text: str, among: str = "says") -> re.Match[str] | None:
    """Find a form of ``forms.toml`` in a text."""
    pattern = "|".join(_TABLE[among][form])
    pattern = pattern.replace("{{begin}}", _TABLE["begin"])
    return re.search(pattern, text, re.IGNORECASE)


def find(text: str, at: datetime) -> list[Statement]:
    """Find what a message says that a later conversation will need.

    What is to be remembered ends with its paragraph, or before a question or
    a task.
    """
    found: list[Statement] = []
    if asks_to_ignore_memory(text):
        return found
    for paragraph in re.split(r"\n\s*\n", _own_words(text)):
        before, goes_on = "", False
        for said in (one.text for one in split_lines(paragraph)):
            asked = says("remember", said)
            fact = said[asked.end() :] if asked else said
            if asked and not words(fact):  # "Remember that."
                fact = before or said[: asked.start()]
            kind, before = _kind(fact, at), said
            if asked and fact and fact[-1] != "?":
                mine = re.match(r"(?:i|my|me)\b", fact.lower())
                usual = MemoryType.user if mine else MemoryType.project
                found.append(Statement(fact, kind or usual, True))
            elif goes_on and not says("task", said):
                last = found.pop()
                found.append(last._replace(text=f"{last.text} {said}"))
                continue
            elif kind and not asked and not says("nothing_lasting", said):
                found.append(Statement(said, kind, False))
            goes_on = bool(asked and found)
    return list({one.text: one for one in found}.values())


def memories_in(text: str, at: datetime) -> Iterator[Memory]:
    """Make the memories of a message, with a date beside each relative time; a
    secret and what is better read live make none.
    """
    for fact, kind, _ in find(text, at):
        if gives_secret(fact) or any(better_read_live(fact)):
            continue
        timeless = fact.removeprefix("I ")
        for phrase in reversed(find_relative_times(timeless, at)):
            end = phrase.offset + len(phrase.words)
            timeless = timeless[: phrase.offset] + timeless[end:]
        title = shorten(timeless, TITLE_CHARACTERS).strip(" .,;:!")
        topics = [one for one in texts.terms(timeless) if one.isalpha()]
        about = ", ".join(list(dict.fromkeys(topics))[:TOPICS]) or title
        body = with_dates(fact, at)
        if kind in (MemoryType.feedback, MemoryType.project):
            body += ANSWERS["reasons"]
        yield Memory(title, f"When it is about {about[:100]}", kind, body)


def gives_secret(text: str) -> bool:
    """Tell whether a text seems to contain a secret."""
    return bool(find_secrets(text) or says("secret", text))


def with_dates(text: str, at: datetime) -> str:
    """Put its date beside each relative time that can be computed; no word of
    the text is changed.
    """
    for phrase in reversed(find_relative_times(text, at)):
        day = re.search(r"\d{4}-\d\d(-\d\d)?", phrase.instead)
        if day:
            end = phrase.offset + len(phrase.words)
            text = f"{text[:end]} ({day[0]}){text[end:]}"
    return text


def _own_words(text: str) -> str:
    """Give the lines that the person typed, without those from which a
    quotation was cut: they may say the opposite of what they said before.
    """
    typed = {
        "",
        *map(str.strip, without_formats(open_part(text)).splitlines()),
    }
    lines = without_quotes(open_part(text)).splitlines()
    return "\n".join(one for one in lines if one.strip() in typed)


def _kind(sentence: str, at: datetime) -> MemoryType | None:
    """Tell what kind of memory a sentence is by its form, if it is one."""
    for kind in _TABLE["kind"]:
        if says(kind, sentence, "kind"):
            return MemoryType(kind)
    days = re.findall(r"\b\d{4}-\d\d-\d\d\b", with_dates(sentence, at))
    is_plan = max(days, default="") > f"{at:%Y-%m-%d}"
    return MemoryType.project if is_plan else None
