"""Dates as people say them, made dates as they are written: "tomorrow" becomes
2026-05-13.

Counted from the day of the message. English, with the plainest German and
French forms. Left out: hours, phrases that name a stretch of time ("this
summer"), and habits ("every Tuesday").
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial

from memlab.models.roles.extract_calendar import (
    COUNT,
    MONTHS,
    NAMED,
    UNIT,
    UNIT_DAYS,
    WEEKDAY,
    WEEKDAYS,
    count_of,
    month_of,
    months_later,
    near_day,
)


@dataclass(frozen=True)
class Dated:
    """A text with its relative dates replaced, and the days that it names."""

    text: str
    days: tuple[date, ...]

    def ahead(self, today: date) -> tuple[date, ...]:
        """Give the days after today."""
        return tuple(day for day in self.days if day > today)


def absolute(text: str, today: date) -> Dated:
    """Replace every relative date of a text, and list all its days in the
    order of the rules.
    """
    days: list[date] = []

    def replace(rule: Rule, match: re.Match[str]) -> str:
        answer = rule(match, today)
        if answer is None:
            return match[0]
        day, shown = answer
        days.append(day)
        before = re.search(r"(\w+)\W*$", match.string[: match.start()])
        led = before and _LEADS.fullmatch(before[1])
        owns = match.string[match.end() :].startswith(("'s", "’s"))
        bare = shown[:1].isdigit() and not (
            led or owns or _FOREIGN.match(match[0])
        )
        return f"on {shown}" if bare else shown

    for pattern, rule in _RULES:
        text = pattern.sub(partial(replace, rule), text)
    return Dated(text, tuple(dict.fromkeys([*days, *_written(text)])))


Rule = Callable[[re.Match[str], date], tuple[date, str] | None]

# What is no English: a date in it is left without "on".
_FOREIGN = re.compile(
    r"""(?ix) (?:übermorgen|morgen|heute|gestern|vorgestern|nächste|kommende|ende|am|ab|bis|zum
    |d'ici|demain|après|avant-hier|aujourd|hier|dans|le|la|fin|\d{1,2}\.|\d{1,2}\s(?:f[eé]v|juin|juil|ao)
    |montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi
    |vendredi|samedi|dimanche)"""
)
_LEADS = re.compile(
    r"""(?ix) on|by|until|till|from|before|after|since|of|is|was|the|for|to|between|and|latest
    |am|ab|bis|zum|vor|nach|seit|avant|après|dès|le|jusqu'au|depuis"""
)
_PAST = re.compile(
    r"(?i)\b(?:was|were|had|did|went|came|broke|lost|hung|stuck|fell|got|sent|took|told|said|saw"
    r"|ran|\w{3,}ed)\b"
)
_COMING = re.compile(
    r"(?i)\b(?:will|must|have to|has to|needs to|is|are|going"
    r" to|comes?|starts?)\b"
)


def _iso(day: date) -> tuple[date, str]:
    return day, day.isoformat()


def _named(match: re.Match[str], today: date) -> tuple[date, str] | None:
    word = match["name"].lower()
    if match["name"][0].isupper() and word == "morgen" and match.start():
        return None  # a German noun: the morning
    part = f" {match['part'].lower()}" if match["part"] else ""
    later = 7 if match.groupdict().get("later") else 0
    day, shown = _iso(today + timedelta(NAMED[word] + later))
    return day, shown + (" in the evening" if "night" in word else "") + part


def _away(match: re.Match[str], today: date) -> tuple[date, str] | None:
    unit, count = match["unit"].lower(), count_of(match["count"])
    if match.groupdict().get("ago"):
        count = -count
    if unit[0] == "m":
        return _iso(months_later(today, count))
    return _iso(today + timedelta(UNIT_DAYS[unit[0]] * count))


def _weekday(match: re.Match[str], today: date) -> tuple[date, str] | None:
    word, wanted = (
        (match["word"] or "").lower().strip(),
        WEEKDAYS[match["day"].lower()],
    )
    ahead = today + timedelta((wanted - today.weekday() - 1) % 7 + 1)
    if (
        word in ("next", "nächsten", "nächster")
        or match["after"] == " prochain"
    ):
        monday = today - timedelta(today.weekday())
        ahead = monday + timedelta(7 + wanted)
    elif (
        word in ("last", "past", "since", "letzten")
        or match["after"] == " dernier"
        or (not word and _looks_back(match))
    ):
        ahead -= timedelta(14 if today.weekday() == wanted else 7)
    elif word == "this" and today.weekday() == wanted:
        ahead = today
    if match["later"] or (match["after"] or "").lower() in (
        " week",
        " after next",
    ):
        ahead += timedelta(7)
    lead = f"{word} " if word == "since" else ""
    part = f" in the {match['part'].strip().lower()}" if match["part"] else ""
    return ahead, f"{lead}{ahead}{part}"


def _looks_back(match: re.Match[str]) -> bool:
    """Say whether a bare weekday is past: its sentence tells of what was."""
    before = re.split(r"[.!?]\s", match.string[: match.start()])[-1]
    after = re.split(r"[.!?](?:\s|$)", match.string[match.end() :])[0]
    if re.search(
        r"(?i)\b(?:by|until|till|before|from|due|starting|ab|bis|le)\s*$",
        before,
    ):
        return False
    return bool(_PAST.search(f"{before} {after}")) and not _COMING.search(
        f"{before} {after}"
    )


def _month_day(match: re.Match[str], today: date) -> tuple[date, str] | None:
    month, year = month_of(match["month"]), match["year"]
    found = near_day(int(match["day"]), month, int(year) if year else 0, today)
    return _iso(found) if found else None


def _ordinal(match: re.Match[str], today: date) -> tuple[date, str] | None:
    for ahead in range(3):
        month = months_later(today.replace(day=1), ahead)
        if (
            int(match["day"])
            <= calendar.monthrange(month.year, month.month)[1]
        ):
            found = month.replace(day=int(match["day"]))
            if found >= today:
                return _iso(found)
    return None


def _ends(match: re.Match[str], today: date) -> tuple[date, str] | None:
    what, step = (
        match["unit"].lower(),
        (1 if match["which"].lower().strip() == "next" else 0),
    )
    lead = "by " if (match["lead"] or "").lower().startswith("by") else "on "
    if what == "week":
        day = today + timedelta(4 - today.weekday() + 7 * step)
    elif what == "year":
        day = date(today.year + step, 12, 31)
    else:
        month = today.replace(day=1)
        if what == "quarter":
            month = months_later(month, (3 - month.month) % 3)
            step *= 3
        elif re.fullmatch(MONTHS, what):
            month = date(
                today.year + (month_of(what) < today.month), month_of(what), 1
            )
        day = months_later(month, 1 + step) - timedelta(1)
    if match["edge"].lower() in ("beginning", "start"):
        day = (
            months_later(today.replace(day=1), step or 1)
            if what != "week"
            else day - timedelta(4)
        )
    return day, f"{lead}{day}"


def _month_end(match: re.Match[str], today: date) -> tuple[date, str] | None:
    month = today.replace(day=1)
    if match["month"]:
        month = date(
            today.year + (month_of(match["month"]) < today.month),
            month_of(match["month"]),
            1,
        )
    day = months_later(month, 1) - timedelta(1)
    return day, f"{match['lead'] or ''}{day}"


def _span(match: re.Match[str], today: date) -> tuple[date, str] | None:
    step = {"next": 1, "last": -1}.get(match["word"].lower(), 0)
    if not step:
        step = (
            1
            if re.match("(?i)n|k|la semaine prochaine|le mois p", match[0])
            else 0
        )
    if match["unit"].lower()[0] in "ws":
        monday = today + timedelta(7 * step - today.weekday())
        return monday, f"the week of {monday}"
    month = months_later(today.replace(day=1), step)
    return month, f"{month:%Y-%m}"


def _written(text: str) -> list[date]:
    found = []
    for match in re.findall(r"\b\d{4}-\d\d-\d\d\b", text):
        try:
            found.append(date.fromisoformat(match))
        except ValueError:
            continue
    return found


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<![\w-])(?:{pattern})(?![\w-])")


_YEAR = r"(?:,? (?P<year>\d{4}))?"
_PART = "morning|noon|afternoon|evening|night"
_RULES: tuple[tuple[re.Pattern[str], Rule], ...] = (
    (
        _compiled(
            rf"(?:(?P<lead>at|by|until|before|on) )?(?:the )?(?P<edge>end|last"
            rf" day|beginning"
            rf"|start) "
            r"of (?P<which>the |this |next"
            rf" |)(?P<unit>month|week|year|quarter|{MONTHS})"
        ),
        _ends,
    ),
    (
        _compiled(
            r"(?P<lead>)(?:month['’]?s?[ -]end|(?:zum |am |bis )?(?:Ende"
            r" (?:des Monats|(?P<month>"
            rf"{MONTHS}))|Monatsende)|(?:à la )?fin du mois)"
        ),
        _month_end,
    ),
    (
        _compiled(
            rf"(?:the |le |am |zum"
            rf" )?(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?(?: of)? "
            rf"(?P<month>{MONTHS})\.?{_YEAR}"
        ),
        _month_day,
    ),
    (
        _compiled(
            rf"(?P<month>{MONTHS})\.?"
            rf" (?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_YEAR}"
        ),
        _month_day,
    ),
    (
        _compiled(
            r"(?<=on |by )the (?P<day>\d{1,2})(?:st|nd|rd"
            r"|th)(?! \w+(?<!at)(?<!and)(?<!we)(?<!the))"
        ),
        _ordinal,
    ),
    (
        _compiled(
            rf"(?:in|within|dans|d'ici|another|binnen) (?P<count>{COUNT})"
            rf" (?P<unit>{UNIT})"
            r"(?:['’] time)?"
        ),
        _away,
    ),
    (
        _compiled(
            rf"(?P<count>{COUNT}) (?P<unit>{UNIT}) (?:from now|from"
            r" today|hence)"
        ),
        _away,
    ),
    (_compiled(rf"(?P<count>{COUNT}) (?P<unit>{UNIT}) (?P<ago>ago)"), _away),
    (
        _compiled(
            r"(?P<later>a week (?:from )?)?(?:the"
            rf" )?(?P<name>{'|'.join(NAMED)})(?P<part>)"
        ),
        _named,
    ),
    (
        _compiled(rf"this (?P<part>{_PART})(?P<name>)"),
        lambda match, today: _iso(today),
    ),
    (
        _compiled(
            r"(?<!\ba )(?<!first )(?<!second )(?<!third )(?<!easter )(?<!good"
            r" )(?<!palm )"
            r"(?<!every )(?<!each )(?<!any )(?<!jeden )(?<!chaque )(?P<later>a"
            r" week from )?"
            r"(?:(?P<word>next|last|this|coming|past|since|nächste[nr]|letzten) )?"
            rf"(?P<day>{WEEKDAY})(?P<after> week| after next| prochain|"
            r" dernier)?"
            rf"(?P<part> (?:{_PART}))?(?!s)"
        ),
        _weekday,
    ),
    (
        _compiled(
            r"(?P<word>next|this|last|nächste|kommende|la|le)"
            r" (?P<unit>week|month|Woche|semaine|"
            r"mois)(?: prochaine?)?"
        ),
        _span,
    ),
)
