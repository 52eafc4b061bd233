"""Times in memories: relative times with the dates to write instead, and how
old a memory is.

"Next Friday" is true only in the week in which it is written. A phrase that
names a day or a week is *sure*: its date can be computed. A longer or vaguer
one ("last month", "soon") can only be pointed at. A number alone is never a
date: "Python 3.11" and "the 2nd server" stay as they are.

English only. This module cannot tell tense ("on Friday a boat was lost" looks
back), durations that look like deadlines ("refunds arrive in 3 days"), windows
("the last 30 days"), or which year a date without a year means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice

from memlab.settings import Settings
from memlab.text import fold_space, words

DAYS = words("monday tuesday wednesday thursday friday saturday sunday")
MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
NUMBERS = words("one two three four five six seven eight nine ten")
MOST = 500  # phrases of one kind that are looked at in one text
_NEAR = 400  # characters on each side that can show that a phrase stays true


@dataclass(frozen=True)
class TimePhrase:
    """A relative time in a text, its offset, and what to write instead.

    ``instead`` is empty if the phrase is too vague for a date.
    """

    words: str
    offset: int
    sure: bool
    instead: str


def find_relative_times(text: str, now: datetime) -> tuple[TimePhrase, ...]:
    """Find relative times in the order of the text.

    They are counted from ``now``, the time of the message in the person's own
    zone. "Next" and "last" count calendar weeks that begin on Monday: said on a
    Wednesday, next Friday is nine days ahead. Where people count otherwise,
    both dates are offered. Code, a phrase alone in quotes (the label of a
    button) and a phrase with its date beside it are left out.
    """
    readable = blank_code(text)
    small = readable.replace("\u0130", "I").lower()  # as long as the text
    found = [
        (kind, match)
        for kind, pattern in _PATTERNS.items()
        for match in islice(pattern.finditer(small), MOST)
    ]
    phrases, end = list[TimePhrase](), 0
    for kind, match in sorted(found, key=lambda one: one[1].start()):
        if match.start() < end:
            continue  # it is part of the phrase before
        start, end = match.span()
        if not _stays_true(kind, readable, start, end):
            instead = _instead(kind, match, now)
            said = readable[start:end]
            # longer than 2026-03: a day or a week
            phrases.append(TimePhrase(said, start, len(instead) > 7, instead))
    return tuple(phrases)


def blank_code(text: str, *, inline: bool = True) -> str:
    """Put spaces over fenced blocks, and over ``inline`` code; offsets stay."""
    code = r"^ *(```+|~~~+).*?(?:^ *\1|\Z)" + (
        r"|(?<!`)`[^`\n]+`" if inline else ""
    )
    found = re.compile(code, re.MULTILINE | re.DOTALL)
    return found.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def _stays_true(kind: str, text: str, start: int, end: int) -> bool:
    """Tell whether a phrase is dated, is quoted, or speaks of a habit."""
    before, after = (
        text[max(start - _NEAR, 0) : start],
        text[end : end + _NEAR],
    )
    dated = re.search(_DATE_BEFORE, before) or re.match(
        rf"[\s,:(–-]*{_DATE}", after
    )
    quoted = re.search("[\"'“‘]$", before) and re.match("[\"'”’]", after)
    sentence = re.split(_END, before)[-1] + re.split(_END, after)[0]
    habit = kind in ("day", "in") and re.search(_HABIT, sentence)
    return bool(dated or quoted or habit)


def _instead(kind: str, match: re.Match[str], now: datetime) -> str:
    """Give the date or dates to write for a phrase, "" if it is too vague."""
    today, part = now.date(), match.groupdict()
    if kind == "named":
        return str(today + timedelta(_NAMED.get(fold_space(part["name"]), 0)))
    if kind in ("word and day", "day"):
        return _weekday(part["word"], DAYS.index(part["day"]), today)
    if kind in ("ago", "in"):
        steps = _COUNTS.get(part["count"]) or int(part["count"])
        steps = -steps if kind == "ago" else steps
        if part["unit"] in _HOURS:
            return str(
                (now + timedelta(hours=_HOURS[part["unit"]] * steps)).date()
            )
        return _month_or_year(part["unit"], steps, today)
    if kind == "span":
        steps = _STEPS[part["word"]]
        monday = today + timedelta(7 * steps - today.weekday())
        days = {
            "week": f"the week of {monday}",
            "weekend": str(monday + timedelta(5)),
        }
        return days.get(part["unit"]) or _month_or_year(
            part["unit"], steps, today
        )
    return ""


def _weekday(word: str, day: int, today: date) -> str:
    """Give the day that a weekday means after a word; if people mean two
    different days by it, both.
    """
    until = (day - today.weekday()) % 7
    ahead, back = today + timedelta(until or 7), today - timedelta(7 - until)
    if word in ("next", "last"):
        monday = today + timedelta(_STEPS[word] * 7 - today.weekday())
        meant, other = (
            monday + timedelta(day),
            ahead if word == "next" else back,
        )
        return (
            f"{meant} (or {other}, if that is meant)"
            if meant != other
            else f"{meant}"
        )
    if word in ("this", "coming"):
        return str(today + timedelta(until) if word == "this" else ahead)
    if word in ("past", "since", "started", "began", "ended"):
        return str(back)
    every = f"'{DAYS[day].title()}s', if every one is meant"
    return f"{ahead} (or {back}, if it is past; {every})"


def _month_or_year(unit: str, steps: int, today: date) -> str:
    if unit == "year":
        return str(today.year + steps)
    year, month = divmod(today.year * 12 + today.month - 1 + steps, 12)
    return f"{year}-{month + 1:02d}" if unit == "month" else ""


_COUNTS = {"a": 1, "an": 1} | {
    word: count for count, word in enumerate(NUMBERS, 1)
}
_HOURS = {"minute": 0, "hour": 1, "day": 24, "week": 168, "fortnight": 336}
_STEPS = {"next": 1, "coming": 1, "this": 0, "last": -1, "past": -1}
# Any other name, such as "tonight", is a part of today.
_NAMED = {"day after tomorrow": 2, "tomorrow": 1}
_NAMED |= {"yesterday": -1, "last night": -1, "day before yesterday": -2}

_MONTH = rf"(?:{'|'.join(name[:3] for name in MONTHS)})[a-z]*"
_DATE = rf"(?:\d{{4}}-\d\d-\d\d|\(20\d\d\)|\d\d?(?:st|nd|rd|th|\.)? {_MONTH}|{_MONTH} \d\d?\b)"
_DATE_BEFORE = rf"{_DATE}(?:,? \d{{4}})?[\s,(–-]*$"
_END = r"[.!?]\s|\n\s*\n"
_HABIT = r"(?i)\b(if|never|always|every|each|usually|whenever|twice)\b"

_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_COUNTS)})"
_DAY = rf"(?P<day>{'|'.join(DAYS)})(?!s| of| \w+(?:ning|noon|night)s)"
_WORD = rf"(?P<word>{'|'.join(_STEPS)})"
_BEFORE = r"by|until|till|before|after|on|due|since|starts?|begins?|ends?|opens|closes"
_FEW = "(?:a few|a couple of|some|several)"
_UNIT = "(?:minute|hour|day|week|fortnight|month|year|season)"
_RULES = {
    "named": rf"(?P<name>{'|'.join(_NAMED)}|(?!today['’])today|tonight"
    r"|this (?:morning|afternoon|evening))(?:['’]s)?",
    "ago": rf"{_COUNT} (?P<unit>minute|hour|day|week|month|year)s? ago",
    "in": rf"in {_COUNT} (?P<unit>day|week|fortnight|month|year)s?",
    "word and day": rf"{_WORD} {_DAY}",
    "day": rf"(?P<word>{_BEFORE}|started|began|ended) {_DAY}"
    r"(?!\s*(?:-|–|to|through|and)\s*\w+day)",
    "span": rf"{_WORD} (?P<unit>week|weekend|month|quarter|year|season|summer|winter)(?! of)",
    "vague": r"recently(?! used)|lately|(?<!as\s)(?<!too\s)(?<!how\s)soon(?! as)|nowadays"
    r"|for now|currently|at (?:the moment|present)|right now|these days|the other day"
    rf"|a while ago|(?:{'|'.join(DAYS)}|today)['’]s|in {_FEW} {_UNIT}s|{_FEW} \w+s ago"
    rf"|by the end of the|next {_COUNT} (?:day|week)s",
}
_PATTERNS = {
    kind: re.compile(rf"\b(?:{words})\b(?!-\w)".replace(" ", r"\s+"))
    for kind, words in _RULES.items()
}


def memory_age(mtime: datetime, now: datetime) -> int | None:
    """Give a memory's age in whole days, or None if its time cannot be right.

    A time before 2000, or more than a day ahead, cannot (SPEC D5). A file from
    the next 24 hours is 0 days old.
    """
    if mtime.year < 2000 or mtime - now > timedelta(days=1):
        return None
    return max(0, (now - mtime).days)


def age_in_words(mtime: datetime, now: datetime) -> str:
    """Give the age as a person says it: ``today``, ``1 day ago``, ``47 days
    ago``, ``at an unknown time``.
    """
    days = memory_age(mtime, now)
    special = {None: "at an unknown time", 0: "today", 1: "1 day ago"}
    return special.get(days, f"{days} days ago")


def is_old(
    mtime: datetime, now: datetime, settings: Settings | None = None
) -> bool:
    """Tell whether a memory is older than ``caveat_after_hours``, so that it
    has to be shown with a caveat; so has one of an unknown age.
    """
    limit = timedelta(hours=(settings or Settings()).caveat_after_hours)
    return memory_age(mtime, now) is None or now - mtime > limit
