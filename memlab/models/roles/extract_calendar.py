"""Names and arithmetic of days and months, in English, German and French.

Left out: which words make a date of them (``extract_dates``).
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from datetime import date, timedelta

from memlab.memdir.dates import DAYS

MONTHS = (
    "jan(?:uary|uar|vier)?|f[eé]b(?:ruary|ruar)?|f[eé]vrier|mar(?:ch|s)?|m[aä]rz|apr(?:il)?|avril"
    "|may|mai|june?|juni|juin|july?|juli|juillet|aug(?:ust)?|ao[uû]t|sept?(?:ember|embre)?"
    "|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?|de[cz](?:ember)?|d[eé]c(?:embre)?"
)
_STARTS = (
    "jan",
    "f",
    "mar mär",
    "av ap",
    "may mai",
    "jun juin",
    "jul juil",
    "ao au",
    "s",
    "o",
)
WEEKDAYS: Mapping[str, int] = {
    name: number for number, name in enumerate(DAYS)
} | {
    name: number
    for names in (
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
    )
    for number, name in enumerate(names.split())
}
WEEKDAY = "|".join(WEEKDAYS)
_NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve",
    "null eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "zéro une deux trois quatre cinq six sept huit neuf dix onze douze",
)
COUNTS = {word: n for row in _NUMBERS for n, word in enumerate(row.split())} | {
    "a": 1, "an": 1, "einer": 1, "einem": 1, "un": 1, "another": 1, "a couple of": 2,
}  # fmt: skip
COUNT = "|".join(sorted([*COUNTS, r"\d{1,3}"], key=len, reverse=True))
UNIT_DAYS = {"d": 1, "t": 1, "j": 1, "w": 7, "s": 7, "f": 14}
UNIT = r"days?|weeks?|fortnights?|months?|tage?n?|wochen?|monate?n?|jours?|semaines?|mois"
NAMED = {
    "day after tomorrow": 2, "übermorgen": 2, "après-demain": 2, "tomorrow": 1, "morgen": 1,
    "demain": 1, "today": 0, "tonight": 0, "heute": 0, "aujourd'hui": 0, "aujourd’hui": 0,
    "day before yesterday": -2, "vorgestern": -2, "avant-hier": -2, "yesterday": -1,
    "last night": -1, "gestern": -1, "hier": -1,
}  # fmt: skip


def count_of(text: str) -> int:
    """Give the number that a word or digits mean."""
    return int(text) if text.isdigit() else COUNTS[text.lower()]


def month_of(name: str) -> int:
    """Give the number of a month by its name."""
    low = name.lower()
    for number, starts in enumerate(_STARTS, 1):
        if low.startswith(tuple(starts.split())):
            return number
    return 11 if low.startswith("n") else 12


def months_later(day: date, count: int) -> date:
    """Give the day so many months later, or the last of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return date(
        year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1])
    )


def near_day(day: int, month: int, year: int, today: date) -> date | None:
    """Give the day in that year, else the nearest one that is not more than a
    quarter past.
    """
    try:
        found = date(year or today.year, month, day)
        if not year and found < today - timedelta(90):
            found = found.replace(year=today.year + 1)
    except ValueError:
        return None
    return found
