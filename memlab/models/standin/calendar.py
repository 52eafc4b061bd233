"""Dates for "by Friday" and "nächsten Monat", counted from the day of the
message.

English phrases are found by ``memdir.dates``, which also judges what is
stored; this module adds days of the month, and German and French.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from memlab.memdir.dates import find_relative_times

_ISO = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_LEADS = (
    r"by|until|till|before|after|on|from|since|due|starting|in|the|bis|bis\ zum|ab|ab\ dem|seit"
    r"|seit\ dem|vor|vor\ dem|nach|nach\ dem|am|im|zum|vom|d['’]ici|d['’]ici\ le|d['’]ici\ au"
    r"|jusqu['’]au|jusqu['’]à|avant|avant\ le|après|après\ le|dès|dès\ le|à\ partir\ du|le|du|au|en"
)
_LEAD = rf"(?:\b(?P<lead>(?:{_LEADS})(?:\s+the)?)\s+)"
_MONTHS = (
    ("january", "januar", "janvier", "jan"),
    ("february", "februar", "février", "feb"),
    ("march", "märz", "mars", "mar"),
    ("april", "avril", "apr"),
    ("may", "mai"),
    ("june", "juni", "juin", "jun"),
    ("july", "juli", "juillet", "jul"),
    ("august", "août", "aug"),
    ("september", "septembre", "sept", "sep"),
    ("october", "oktober", "octobre", "oct", "okt"),
    ("november", "novembre", "nov"),
    ("december", "dezember", "décembre", "dec", "dez"),
)
_DAYS = (
    ("montag", "lundi"),
    ("dienstag", "mardi"),
    ("mittwoch", "mercredi"),
    ("donnerstag", "jeudi"),
    ("freitag", "vendredi"),
    ("samstag", "sonnabend", "samedi"),
    ("sonntag", "dimanche"),
)
_COUNTS = (
    ("ein", "eine", "einem", "einer", "un", "une"),
    ("zwei", "deux"),
    ("drei", "trois"),
    ("vier", "quatre"),
    ("fünf", "cinq"),
    ("sechs", "six"),
)
_OTHER_LANGUAGE = re.compile(
    r"(?i)nächste|kommende|prochain|dans|morgen|demain|heute|aujourd|tage?|woche|mona|jour|sema"
)
_NEXT = r"(?:nächste|kommende)[nrms]?"
Resolve = Callable[[re.Match[str], date], date | str]


def write_dates(text: str, at: datetime) -> tuple[str, tuple[str, ...]]:
    """Write dates for relative times and for days without a year; give all
    dates in the text.
    """
    for pattern, resolve in _RULES:
        for match in reversed(list(re.finditer(pattern, text, re.IGNORECASE))):
            try:
                when = str(resolve(match, at.date()))
            except ValueError:  # there is no such day
                continue
            text = _put(
                text, match.start(), match.end(), match["lead"] or "", when
            )
    for phrase in reversed(find_relative_times(text, at)):
        found = _ISO.search(phrase.instead)
        if found:
            start = phrase.offset
            lead = re.match(rf"(?:{_LEADS})\b", phrase.words, re.IGNORECASE)
            before = re.search(
                rf"\b(?:{_LEADS})\s+$", text[:start], re.IGNORECASE
            )
            end = start + len(phrase.words)
            start = before.start() if before else start
            word = (before[0].strip() if before else "") or (
                lead[0] if lead else ""
            )
            when = (
                f"the week of {found[0]}"
                if "the week of" in phrase.instead
                else found[0]
            )
            text = _put(text, start, end, word, when)
    return text, tuple(_ISO.findall(text))


def _put(text: str, start: int, end: int, lead: str, when: str) -> str:
    if _OTHER_LANGUAGE.search(text[start:end]) and lead.lower() in (
        "",
        "in",
        "dans",
    ):
        return f"{text[:start]}{when}{text[end:]}"
    if not lead or lead.lower() in ("the", "in"):
        lead = "on" if len(when) == 10 else "in"
        lead = lead.capitalize() if text[start].isupper() else lead
    return f"{text[:start]}{lead.removesuffix(' the')} {when}{text[end:]}"


def _place(word: str, table: tuple[tuple[str, ...], ...]) -> int:
    return next(n for n, names in enumerate(table) if word.lower() in names)


def _any(table: tuple[tuple[str, ...], ...]) -> str:
    return "|".join(
        name
        for names in table
        for name in sorted(names, key=len, reverse=True)
    )


def _months_later(day: date, months: int) -> date:
    count = day.year * 12 + day.month - 1 + months
    return day.replace(year=count // 12, month=count % 12 + 1)


def _day_and_month(match: re.Match[str], today: date) -> date:
    groups = match.groupdict()
    named = groups.get("month")
    month = _place(named, _MONTHS) + 1 if named else int(match["month_number"])
    day = date(int(groups["year"] or today.year), month, int(match["number"]))
    return (
        day
        if groups["year"] or day >= today
        else day.replace(year=day.year + 1)
    )


def _day_alone(match: re.Match[str], today: date) -> date:
    day = today.replace(day=int(match["number"]))
    return day if day >= today else _months_later(day, 1)


def _month_alone(match: re.Match[str], today: date) -> str:
    month = _place(match["month"], _MONTHS) + 1
    year = int(match["year"] or today.year + (month < today.month))
    return f"{year}-{month:02d}"


def _weekday(match: re.Match[str], today: date) -> date:
    day = _place(match["day"], _DAYS)
    if match["next"]:
        return today + timedelta(7 - today.weekday() + day)
    return today + timedelta((day - today.weekday() - 1) % 7 + 1)


def _counted(match: re.Match[str], today: date) -> date | str:
    word = match["count"]
    count = int(word) if word.isdigit() else _place(word, _COUNTS) + 1
    unit = match["unit"].lower()
    if unit.startswith(("mona", "mois")):
        return f"{_months_later(today.replace(day=1), count):%Y-%m}"
    return today + timedelta(
        count * (7 if unit.startswith(("woche", "semaine")) else 1)
    )


def _next_unit(match: re.Match[str], today: date) -> date | str:
    if match["unit"].lower() in ("monat", "mois"):
        return f"{_months_later(today.replace(day=1), 1):%Y-%m}"
    return today + timedelta(7 - today.weekday())


def _in_days(days: int) -> Resolve:
    return lambda match, today: today + timedelta(days)


_MONTH = rf"(?P<month>{_any(_MONTHS)})\b"
_DAY = rf"(?P<day>{_any(_DAYS)})\b"
_YEAR = r"(?:,?\s+(?P<year>\d{4})\b)?"
_RULES: tuple[tuple[str, Resolve], ...] = (
    (
        rf"{_LEAD}?\b(?P<number>\d\d?)(?:st|nd|rd|th|er|\.)?\s+(?:of\s+)?{_MONTH}{_YEAR}",
        _day_and_month,
    ),
    (
        rf"{_LEAD}?\b{_MONTH}\s+(?:the\s+)?(?P<number>\d\d?)(?:st|nd|rd|th)?\b(?!\d|\s*%){_YEAR}",
        _day_and_month,
    ),
    (
        rf"{_LEAD}?\b(?P<number>\d\d?)\.(?P<month_number>\d\d?)\.(?P<year>\d{{4}})?",
        _day_and_month,
    ),
    (
        rf"{_LEAD}(?P<number>\d\d?)(?:st|nd|rd|th)\b(?!\s+(?:floor|edition|century))",
        _day_alone,
    ),
    (
        r"\b(?P<lead>(?:bis\s+)?zum|am|ab\s+dem|vor\s+dem)\s+(?P<number>\d\d?)\.(?=\D|$)",
        _day_alone,
    ),
    (
        r"\b(?P<lead>le|du|au|jusqu['’]au|avant\s+le"
        r"|d['’]ici\s+le)\s+(?P<number>\d\d?)\b(?!\s*[:h%.,]\d)",
        _day_alone,
    ),
    (
        rf"\b(?P<lead>in|im|en|by|until|before|bis|ab|from)\s+{_MONTH}{_YEAR}",
        _month_alone,
    ),
    (rf"{_LEAD}?\b(?P<next>{_NEXT})\s+{_DAY}", _weekday),
    (rf"{_LEAD}?\b{_DAY}\s+(?P<next>prochain)\b", _weekday),
    (rf"{_LEAD}(?P<next>\b\B)?{_DAY}", _weekday),
    (
        r"\b(?P<lead>in|dans)\s+"
        rf"(?P<count>\d\d?|{_any(_COUNTS)})\s+(?P<unit>tage?n?|wochen?|monate?n?|jours?|semaines?"
        rf"|mois)\b",
        _counted,
    ),
    (rf"{_LEAD}?\b{_NEXT}\s+(?P<unit>woche|monat)\b", _next_unit),
    (
        rf"{_LEAD}?(?:la\s+)?\b(?P<unit>semaine|mois)\s+prochaine?\b",
        _next_unit,
    ),
    (rf"{_LEAD}?\b(?:übermorgen|après-demain)\b", _in_days(2)),
    (rf"{_LEAD}?\b(?<!guten )(?<!heute )(?:morgen|demain)\b", _in_days(1)),
    (rf"{_LEAD}?\b(?:heute|aujourd['’]hui)\b", _in_days(0)),
)
