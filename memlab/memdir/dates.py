"""Times in memories: relative times and the dates to write instead, and how
old a memory is.

"Next Friday" is true only in the week in which it is written. A phrase that
names a day or a week is *sure*: its date can be computed. A longer or vaguer
one ("last month", "soon") can only be pointed at. English only. Code cannot
tell tense ("on Friday a boat was lost" looks back), durations that look like
deadlines ("refunds arrive in 3 days"), windows ("the last 30 days"), and dates
without a year. An old memory comes with a caveat, because what it says may no
longer be true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import islice

from memlab.settings import Settings

DAYS = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
NUMBERS = [
    "a",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
]
HOURS = {"minute": 0, "hour": 1, "day": 24, "week": 168, "fortnight": 336}
NAMED = {
    "day after tomorrow": 2,
    "tomorrow": 1,
    "today": 0,
    "tonight": 0,
    "last night": -1,
}
NAMED |= {"yesterday": -1, "day before yesterday": -2}

MOST = 500  # phrases of one kind that are looked at in one text
_NEAR = 400  # characters on each side that can show that a phrase stays true


@dataclass(frozen=True)
class TimePhrase:
    """A relative time in a text, its offset, and what to write instead ("" if
    too vague).
    """

    words: str
    offset: int
    sure: bool
    instead: str


def find_relative_times(text: str, now: datetime) -> tuple[TimePhrase, ...]:
    """Find relative times in the order of the text, counted from the message's
    own time ``now``.

    "Next" and "last" count calendar weeks that begin on Monday: said on a
    Wednesday, next Friday is nine days ahead. Where people count otherwise,
    both dates are offered. Left alone: code, a phrase alone in quotes (the
    label of a button), a phrase with its date beside it. Of each kind of
    phrase the first ``MOST`` are looked at.
    """
    found: list[TimePhrase] = []
    rest = blank_code(text)
    for kind, words in _RULES.items():
        # as long as the text; much faster than re.I
        small = rest.replace("\u0130", "I").lower()
        if not any(sign in small for sign in _SIGNS[kind]):
            continue
        pattern = rf"\b(?:{words})\b(?!-\w)".replace(" ", r"\s+")
        letters = list(rest)
        for match in islice(re.finditer(pattern, small), MOST):
            before = "".join(
                letters[max(match.start() - _NEAR, 0) : match.start()]
            )
            after = rest[match.end() : match.end() + _NEAR]
            if not _lasts(kind, before, after):
                phrase = rest[match.start() : match.end()]
                found.append(
                    TimePhrase(
                        phrase, match.start(), *_answer(kind, match, now)
                    )
                )
            letters[match.start() : match.end()] = "_" * len(match[0])
        rest = "".join(letters)
    return tuple(sorted(found, key=lambda phrase: phrase.offset))


def blank_code(text: str, *, inline: bool = True) -> str:
    """Put spaces over fenced blocks, and over ``inline`` code; offsets stay."""
    code = r"^ *(```+|~~~+).*?(?:^ *\1|\Z)" + (
        r"|(?<!`)`[^`\n]+`" if inline else ""
    )
    return re.sub(
        code,
        lambda match: re.sub(r"[^\n]", " ", match[0]),
        text,
        flags=re.M | re.S,
    )


def _answer(
    kind: str, match: re.Match[str], now: datetime
) -> tuple[bool, str]:
    today, part = now.date(), match.groupdict("")
    if kind == "named":
        return True, str(
            today + timedelta(NAMED.get(" ".join(match[1].split()), 0))
        )
    if kind in ("weekday", "bare weekday"):
        return True, _weekday(part["word"], DAYS.index(part["day"]), today)
    step = {"next": 1, "coming": 1, "last": -1, "past": -1}.get(
        part.get("word", ""), 0
    )
    if count := part.get("count"):
        spelled = "a" if count == "an" else count
        step = int(count) if count.isdigit() else NUMBERS.index(spelled) or 1
        step *= -1 if kind == "ago" else 1
    if (unit := part.get("unit", "")) in HOURS and count:
        return True, f"{(now + timedelta(hours=HOURS[unit] * step)).date()}"
    if unit in ("week", "weekend"):
        monday = today + timedelta(7 * step - today.weekday())
        return True, (
            f"the week of {monday}"
            if unit == "week"
            else f"{monday + timedelta(5)}"
        )
    year, month = divmod(today.year * 12 + today.month - 1 + step, 12)
    return False, {
        "month": f"{year}-{month + 1:02d}",
        "year": f"{today.year + step}",
    }.get(unit, "")


def _weekday(word: str, day: int, today: date) -> str:
    ahead = today + timedelta(
        (day - today.weekday() - (word != "this")) % 7 + (word != "this")
    )
    back = ahead - timedelta(14 if day == today.weekday() else 7)
    if word in ("next", "last"):
        meant = today + timedelta(
            day - today.weekday() + (7 if word == "next" else -7)
        )
        other = ahead if word == "next" else back
        return f"{meant}" + (
            f" (or {other}, if that is meant)" if meant != other else ""
        )
    if word in (
        "this",
        "coming",
        "past",
        "since",
        "started",
        "began",
        "ended",
    ):
        return f"{ahead if word in ('this', 'coming') else back}"
    return (
        f"{ahead} (or {back}, if it is past; '{DAYS[day].title()}s', if every"
        " one is meant)"
    )


def _lasts(kind: str, before: str, after: str) -> bool:
    """Judge by the text near a phrase whether it stays true: dated, quoted, or
    about a habit.
    """
    dated = re.search(rf"{_DATE}[\s,(–-]*$", before) or re.match(
        rf"[\s,:(–-]*{_DATE}", after
    )
    quoted = re.search("[\"'“‘]$", before) and re.match("[\"'”’]", after)
    sentence = re.split(_END, before)[-1] + re.split(_END, after)[0]
    return bool(
        dated
        or quoted
        or (kind in ("bare weekday", "in") and re.search(_HABIT, sentence))
    )


_END, _HABIT = (
    r"[.!?]\s|\n\s*\n",
    r"(?i)\b(if|never|always|every|each|usually|whenever|twice)\b",
)
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DATE = (
    rf"(?:\d{{4}}-\d\d-\d\d|\d\d?(?:st|nd|rd|th|\.)? {_MONTH}|{_MONTH}"
    r" \d\d?\b)(?:,? \d{4})?"
)
_COUNT = rf"(?P<count>\d{{1,3}}|an|{'|'.join(NUMBERS)})"
_DAY = rf"(?P<day>{'|'.join(DAYS)})(?!s| of| \w+(?:ning|noon|night)s)"
_WORD, _FEW = (
    "(?P<word>next|last|this|coming|past)",
    "(?:a few|a couple of|some|several)",
)
_RULES = {
    "named": (
        rf"(?!today['’])({'|'.join(NAMED)}|this"
        r" (?:morning|afternoon|evening))(?:['’]s)?"
    ),
    "ago": rf"{_COUNT} (?P<unit>minute|hour|day|week|month|year)s? ago",
    "in": rf"in {_COUNT} (?P<unit>day|week|fortnight|month|year)s?",
    "weekday": rf"{_WORD} {_DAY}",
    "bare weekday": (
        rf"(?P<word>by|until|till|before|after|on|due|since|starts?|begins?|ends?|opens"
        r"|closes|started|began|ended)"
        rf" {_DAY}(?!\s*(?:-|–|to|through|and)\s*\w+day)"
    ),
    "span": (
        rf"{_WORD}"
        r" (?P<unit>week|weekend|month|quarter|year|season|summer|winter)(?! of)"
    ),
    "vague": (
        r"recently(?! used)|lately|(?<!as\s)(?<!too\s)(?<!how\s)soon(?!"
        r" as)|nowadays"
        r"|for now|currently|at (?:the moment|present)|right now|these"
        r" days|the other day|a while ago"
        rf"|(?:{'|'.join(DAYS)}|today)['’]s|in {_FEW} \w+s|{_FEW} \w+s ago|by"
        r" the end of the"
        rf"|next {_COUNT} (?:day|week)s"
    ),
}
# A rule is tried only on a text that has one of its signs.
_SIGNS = {
    "named": ("today", "tonight", "tomorrow", "yesterday", "night", "this"),
    "ago": ("ago",),
    "in": ("in",),
    "weekday": DAYS,
    "bare weekday": DAYS,
    "span": ("next", "last", "this", "coming", "past"),
    "vague": (
        *(
            "recently",
            "lately",
            "soon",
            "nowadays",
            "now",
            "currently",
            "moment",
            "present",
        ),
        *(
            "these",
            "other",
            "while",
            "days",
            "today",
            "day",
            "in",
            "ago",
            "end",
            "next",
        ),
    ),
}


def memory_age(mtime: datetime | float, now: datetime | float) -> int:
    """Give a memory's age in whole days, never negative: a file from the
    future is 0 days old.

    Both may be datetimes (without a zone: UTC) or seconds since 1970.
    """
    return max(0, (_moment(now) - _moment(mtime)).days)


def age_in_words(mtime: datetime | float, now: datetime | float) -> str:
    """Give the age as a person says it: ``today``, ``1 day ago``, ``47 days
    ago``.
    """
    days = memory_age(mtime, now)
    return "today" if days == 0 else f"{days} day{'s' if days > 1 else ''} ago"


def is_old(
    mtime: datetime | float,
    now: datetime | float,
    settings: Settings | None = None,
) -> bool:
    """Tell whether a memory is older than ``caveat_after_hours``, so that it
    has to be shown with a warning.
    """
    limit = timedelta(hours=(settings or Settings()).caveat_after_hours)
    return _moment(now) - _moment(mtime) > limit


def _moment(time: datetime | float) -> datetime:
    if isinstance(time, datetime):
        return time if time.tzinfo else time.replace(tzinfo=UTC)
    return datetime.fromtimestamp(time, UTC)
