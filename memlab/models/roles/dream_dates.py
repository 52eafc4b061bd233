"""Dates for a dreamer by rules: relative times made absolute, from the day
they were written.

Which words are relative times, and what they come to, is for ``memdir.dates``.
Left alone is what may be read in two ways ("next Friday", "on Monday"): a
wrong date is worse than a vague one.
"""

from __future__ import annotations

import re
from datetime import datetime

from memlab.memdir.dates import TimePhrase, find_relative_times
from memlab.models.roles.extract_dates import absolute

_LEADS = re.compile(
    r"\b(?:on|by|until|till|from|before|after|since|of|for|to|between|and|the|at|in|is|was)\s+$",
    re.I,
)
_AHEAD = re.compile(
    r"(by|until|till|before|due|since|started|began|ended)\s", re.I
)
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_NAMED = re.compile(
    rf"\b(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b(?:,? \d{{4}})?"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?"
)


def in_dates(text: str, written: datetime) -> str:
    """Write every relative time that is sure as a date, counted from the day
    of the text.
    """
    for phrase in reversed(find_relative_times(text, written)):
        if instead := _instead(phrase, text[: phrase.offset]):
            text = (
                text[: phrase.offset]
                + instead
                + text[phrase.offset + len(phrase.words) :]
            )
    return text


def said_in_dates(text: str, at: datetime) -> str:
    """Do the same for a sentence of a conversation, days such as "8 April"
    included.
    """
    named = _NAMED.sub(
        lambda match: absolute(match[0], at.date()).text.removeprefix("on "),
        text,
    )
    return in_dates(named, at)


def still_relative(text: str, now: datetime) -> bool:
    """Tell whether a text holds a relative time that a check would refuse."""
    return any(phrase.sure for phrase in find_relative_times(text, now))


def _instead(phrase: TimePhrase, before: str) -> str:
    words, instead = phrase.words, phrase.instead
    lead = _AHEAD.match(words)
    if not phrase.sure or not instead or re.search(r"['’]s$", words):
        return ""
    if lead:
        return f"{lead[1]} {instead.split(' ')[0]}"
    if " (or " in instead:
        return ""
    if not _LEADS.search(before):
        instead = (
            f"in {instead}" if instead.startswith("the ") else f"on {instead}"
        )
    return (
        instead[:1].upper() + instead[1:] if words[:1].isupper() else instead
    )
