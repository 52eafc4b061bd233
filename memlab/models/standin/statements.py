"""What in a message is worth a memory, by its form alone.

What follows "Remember" is taken word for word. A preference, a standing rule,
a decision, a coming day and a place to look are one memory each, with the
sentence as its body. Questions, suppositions, passing choices, quotations and
what is off the record make none. There is no understanding of language here.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from datetime import UTC, datetime

from memlab.evidence.quotes import without_formats, without_quotes
from memlab.evidence.requests import asks_to_ignore_memory, open_part
from memlab.evidence.sentences import split_lines
from memlab.memdir.dates import find_relative_times
from memlab.memdir.memory import Memory, MemoryType
from memlab.memdir.rules import better_read_live
from memlab.memdir.secrets import find_secrets
from memlab.text import STOP_WORDS, words

SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)  # where the day does not matter
TITLE_CHARACTERS, TOPICS = 60, 5

_LEAD = (
    r"(?:(?:please|and|also|so|but|well|yes|no|ok(?:ay)?|hey|hi|(?:can|could"
    r"|would|will) you|i want you to|you (?:should|must))[, ]+)*"
)
_REMEMBER = re.compile(
    rf"(?i)(?:^|[,;:—] ?){_LEAD}(?:(?:remember|memori[sz]e|(?:keep|bear)"
    r"(?: it| this| that)? in mind|(?:make|take) a note"
    r"|(?:don['’]t|never) forget|note(?= that| down|:)"
    r"|save(?= this| that|:))\b(?: down)?(?: this(?=\W))?"
    r"(?: for (?:next time|later|the future|me))?(?:,? that\b| of\b)?"
    r"|请?(?:记住|记得|記住))[\s:,：，]*"
)
_FORMS = {
    MemoryType.feedback: (
        r"\b(?:from now on|in (?:the )?future|by default|every time)\b"
        rf"|^{_LEAD}(?:always|never|stop \w+ing|no more)\b"
        rf"|^{_LEAD}(?:use|write|keep|put|ask|answer)\b.*\b(?:always|never)\b"
    ),
    MemoryType.user: (
        r"\bI(?: also| really| much)? (?:prefer|like|love|hate|always|never)\b"
        r"|\bI(?:['’]m| am) (?:not )?(?:an?|the)\b|\bcall me\b|\bbetter than\b"
        r"|\bI (?:use|work (?:as|at|for|in)|live|speak|teach)\b"
        rf"|^{_LEAD}my (?:\S+ ){{1,3}}(?:is|are)\b"
    ),
    MemoryType.reference: (
        r"https?://|\b(?:is|are|kept|tracked|stored)\b.*\b(?:in|at|on) (?:\w+ )?"
        r"(?:\w+ )?(?:drive|wiki|tracker|dashboard|channel|linear|jira|notion)\b"
    ),
    MemoryType.project: (
        r"\bwe(?:['’]ve| have)? (?:decided|agreed|switched|moved|frozen)\b"
        r"|\b(?:is|are|was|were|been) (?:\w+-driven|decided|due|postponed"
        r"|cancell?ed|responsible|in charge)\b"
    ),
}
_NO_STATEMENT = re.compile(
    rf"(?i)[?？]\W*$|^{_LEAD}(?:if|suppose|imagine|assume|what if|maybe"
    r"|perhaps|let['’]s say|say)\b|\b(?:would|might|could) have\b|\bif i\b"
    r"|\b(?:for now|for the moment|right now|at the moment|so far|this time"
    r"|just this once|go with|(?:this|that|the (?:first|second|third"
    r"|last|other|\w+)) (?:one|option|version|column)|of the (?:two|three))\b"
    r"|\bhere\W*$|^I (?:like|love|prefer|hate) (?:it|this|that|these|those|how|what)\b"
)
_ME = re.compile(r"(?i)(?:i|my|me)\b")
_TASK = re.compile(
    r"(?i)^(?:please|now|then|next|first|so|can|could|would|let['’]?s|fix|show"
    r"|open|add|make|create|run|rename|delete|check|look|find|tell|explain)\b"
)
_SECRET = re.compile(
    r"(?i)\b(?:password|passphrase|passcode|pin|api[- ]?key|token"
    r"|(?:door|alarm|safe|entry|access)[ -]code)\b(?=.*(?:\d|\bis\b|:))"
    r"(?!.*\b(?:kept|stored|(?:is|are) in the)\b)"
)


def find_statements(text: str, at: datetime) -> list[tuple[str, MemoryType]]:
    """Find what a message says that a later conversation will need, with a
    date beside each relative time.

    What is to be remembered ends with its paragraph, or before a question or
    a task.
    """
    found: list[tuple[str, MemoryType]] = []
    if asks_to_ignore_memory(text):
        return found
    for paragraph in re.split(r"\n\s*\n", _own_words(text)):
        before, goes_on = "", False
        for one in split_lines(paragraph):
            said = with_dates(one.text, at)
            asked = _REMEMBER.search(said)
            fact = said[asked.end() :] if asked else said
            if asked and not words(fact):  # "Remember that."
                fact = before or said[: asked.start()]
            kind = _kind(fact, at)
            usual = MemoryType.user if _ME.match(fact) else MemoryType.project
            before = said
            if asked and fact and not fact.endswith("?"):
                found.append((fact, kind or usual))
            elif goes_on and not _TASK.search(said) and said[-1] != "?":
                found[-1] = (f"{found[-1][0]} {said}", found[-1][1])
                continue
            elif kind and not asked and not _NO_STATEMENT.search(said):
                found.append((said, kind))
            goes_on = bool(asked) and bool(found)
    return list(dict.fromkeys(found))


def memories_in(text: str, at: datetime) -> Iterator[Memory]:
    """Make the memories of a message; a secret and what is
    better read live make none."""
    for fact, kind in find_statements(text, at):
        if gives_secret(fact) or any(better_read_live(fact)):
            continue
        topics = [
            word
            for word in dict.fromkeys(words(fact))
            if word not in STOP_WORDS
            and len(word) > 2
            and not word.isdigit()
            and not find_relative_times(word, at)
        ]
        about = ", ".join(topics[:TOPICS]) or fact
        title = textwrap.shorten(
            fact.removeprefix("I "), TITLE_CHARACTERS, placeholder=""
        )
        title = title or fact[:TITLE_CHARACTERS]
        for phrase in find_relative_times(title, at):  # its date was cut off
            title = title[: phrase.offset]
        body = fact
        if kind in (MemoryType.feedback, MemoryType.project):
            body += (
                "\n\n**Why:** The person said so."
                "\n\n**How to apply:** Ask the person where it may not apply."
            )
        yield Memory(
            title.rstrip(" .,;:!"),
            f"When it is about {about[:100]}",
            kind,
            body,
        )


def asks_to_remember(text: str) -> bool:
    """Tell whether a message asks for something to be remembered."""
    return any(
        _REMEMBER.search(one.text) and not one.text.endswith("?")
        for one in split_lines(_own_words(text))
    )


def gives_secret(text: str) -> bool:
    """Tell whether a text seems to contain a secret."""
    return bool(find_secrets(text) or _SECRET.search(text))


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
    text = open_part(text)
    typed = {line.strip() for line in without_formats(text).splitlines()}
    lines = without_quotes(text).splitlines()
    return "\n".join(one for one in lines if one.strip() in {*typed, ""})


def _kind(sentence: str, at: datetime) -> MemoryType | None:
    """Tell what kind of memory a sentence is by its form, if it is one."""
    for kind, form in _FORMS.items():
        if re.search(form, sentence, re.IGNORECASE):
            return kind
    days = re.findall(r"\b\d{4}-\d\d-\d\d\b", sentence)
    is_plan = max(days, default="") > f"{at:%Y-%m-%d}"
    return MemoryType.project if is_plan else None
