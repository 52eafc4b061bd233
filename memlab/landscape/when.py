"""The time that a question asks about, for systems that search by time."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from memlab.landscape.system import Asked
from memlab.memdir.dates import MONTHS, find_relative_times

Period = tuple[datetime, datetime]
"""A beginning, and an end that is no longer part of it."""

_MONTH = "|".join(MONTHS)
_DATE = re.compile(
    r"(?P<iso_year>\d{4})-(?P<iso_month>0[1-9]|1[0-2])(?:-(?P<iso_day>\d\d))?"
    rf"|(?P<day_of>\d{{1,2}}) (?P<of>{_MONTH})(?: (?P<of_year>\d{{4}}))?"
    rf"|(?P<month>{_MONTH})(?: (?P<day>\d{{1,2}})\b)?,?(?: (?P<year>\d{{4}}))?"
)
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)


def period_asked(question: Asked) -> Period | None:
    """Return the period that a question names; None if it names none.

    A month without a year is the last one that had begun when the question
    was asked. "May" is a month only with a capital letter.
    """
    found = _DATE.search(question.text)
    if found is not None:
        return _open_ended(_named(found, question.at), question, found.start())
    for phrase in find_relative_times(question.text, question.at):
        period = _relative(phrase.instead)
        if period is not None:
            return _open_ended(period, question, phrase.offset)
    return None


def _open_ended(period: Period, question: Asked, offset: int) -> Period:
    """Apply the word in front of a time: "before March", "since March"."""
    words = question.text[:offset].lower().split()
    word = words[-1] if words else ""
    if word in ("before", "until"):
        return _EARLIEST, period[0]
    if word in ("since", "after"):
        return period[0], question.at
    return period


def _named(found: re.Match[str], at: datetime) -> Period:
    if found["iso_month"]:
        month = int(found["iso_month"])
    else:
        month = MONTHS.index(found["month"] or found["of"]) + 1
    year = found["iso_year"] or found["year"] or found["of_year"]
    start = datetime(int(year or at.year), month, 1, tzinfo=UTC)
    if not year and start > at:
        start = start.replace(year=at.year - 1)
    day = int(found["iso_day"] or found["day"] or found["day_of"] or 0)
    end = (start + timedelta(days=32)).replace(day=1)
    if 1 <= day <= (end - start).days:
        return _day(start + timedelta(days=day - 1))
    return start, end


def _relative(instead: str) -> Period | None:
    """Read what ``find_relative_times`` writes: a day, a week or a month."""
    day = re.search(r"\d{4}-\d\d-\d\d", instead)
    if day is not None:
        start = datetime.fromisoformat(day[0]).replace(tzinfo=UTC)
        week = instead.startswith("the week of")
        return start, start + timedelta(days=7 if week else 1)
    month = re.fullmatch(r"(\d{4})-(\d\d)", instead)
    if month is not None:
        start = datetime(int(month[1]), int(month[2]), 1, tzinfo=UTC)
        return start, (start + timedelta(days=32)).replace(day=1)
    return None


def _day(start: datetime) -> Period:
    return start, start + timedelta(days=1)
