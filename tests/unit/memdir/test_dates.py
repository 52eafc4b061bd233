"""Relative times and their dates; the age of a memory and its caveat."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from memlab.memdir.dates import age_in_words, blank_code, find_relative_times, is_old, memory_age
from memlab.settings import Settings
from tests.unit.memdir.labelled_checks import Case, cases
from tests.work import does_not_stall

WEDNESDAY = datetime(2026, 3, 18, 10, tzinfo=UTC)


def first_date(text: str) -> str:
    found = re.search(r"\d{4}-\d\d-\d\d", text)
    return found[0] if found else ""


@pytest.mark.behaviour("A5")
@pytest.mark.parametrize(
    "case", [case for case in cases("dates") if case.date], ids=lambda case: case.id
)
def test_the_date_is_counted_from_the_message(case: Case) -> None:
    found = [one for one in case.findings() if one.rule == "relative-date"]
    assert [first_date(one.suggestion) for one in found] == [case.date]


@pytest.mark.parametrize(
    ("said", "instead"),
    [
        ("next Friday", "2026-03-27 (or 2026-03-20, if that is meant)"),
        ("next Tuesday", "2026-03-24"),
        ("last Monday", "2026-03-09 (or 2026-03-16, if that is meant)"),
        (
            "by Friday",
            "2026-03-20 (or 2026-03-13, if it is past; 'Fridays', if every one is meant)",
        ),
        ("next week", "the week of 2026-03-23"),
        ("last month", "2026-02"),
        ("in 10 months", "2027-01"),
        ("three years ago", "2023"),
        ("soon", ""),
    ],
)
def test_where_people_count_differently_both_are_offered(said: str, instead: str) -> None:
    (found,) = find_relative_times(f"It happens {said}.", WEDNESDAY)
    assert (found.words, found.instead) == (said, instead)


def test_longer_phrases_win_and_all_are_told_in_order() -> None:
    found = find_relative_times("The day after tomorrow, not today, and soon.", WEDNESDAY)
    assert [(one.words, one.sure, one.instead) for one in found] == [
        ("day after tomorrow", True, "2026-03-20"),
        ("today", True, "2026-03-18"),
        ("soon", False, ""),
    ]


@pytest.mark.parametrize(
    ("harmless", "relative"),
    [
        ('the label "Tomorrow" is red', 'he said "tomorrow it is red"'),
        ("the preset `next week` is slow", "the preset of next week is slow"),
        ("due tomorrow (2026-03-19)", "due tomorrow (with luck)"),
        ("on Sunday, 22 March, all boats are out", "on Sunday, all boats are out"),
        ("never deploy on Friday", "they deploy on Friday"),
        ("open from Monday to Friday and on Monday–Tuesday", "open on Monday"),
        ("as soon as it is light", "soon it is light"),
        ("the last Friday of May is free", "the last Friday is free"),
        ("a tomorrow-first view", "a view for tomorrow"),
    ],
)
def test_what_only_looks_relative_is_left_alone(harmless: str, relative: str) -> None:
    assert find_relative_times(harmless, WEDNESDAY) == ()
    assert len(find_relative_times(relative, WEDNESDAY)) == 1


def test_code_is_blanked_without_moving_anything() -> None:
    text = "a `b` c\n```\nnext week\n```\nd"
    assert blank_code(text) == "a     c\n   \n         \n   \nd"
    assert blank_code(text, inline=False).startswith("a `b` c\n   \n")
    assert blank_code("~~~\nnever closed") == "   \n            "


@pytest.mark.behaviour("A5")
@pytest.mark.parametrize(
    "said",
    [
        "We run Postgres 9.6 and Python 3.11.",
        "It is on the 2nd server, in room 3, and takes 10 days.",
        "Version 2026.3 of the 5th driver, 18/3 of it.",
    ],
)
def test_a_number_alone_is_no_date(said: str) -> None:
    assert find_relative_times(said, WEDNESDAY) == ()


def test_a_day_is_a_day_in_the_persons_zone() -> None:
    shanghai = datetime(2026, 3, 19, 3, 55, tzinfo=timezone(timedelta(hours=8)))
    (found,) = find_relative_times("The release is tomorrow.", shanghai)
    assert found.instead == "2026-03-20"


@pytest.mark.parametrize(
    "piece", ["today ", "next ", "in a ", "```\n", " ", "on monday 2026-03-18 "]
)
def test_a_hostile_text_does_not_stall(piece: str) -> None:
    assert does_not_stall(lambda: find_relative_times(piece * 5_000, WEDNESDAY))


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("in ten days", "2026-03-26"),
        ("seven days ago", "2026-03-09"),
        ("nine weeks ago", "2026-01-12"),
    ],
)
def test_numbers_in_words_are_counted(said: str, day: str) -> None:
    (found,) = find_relative_times(f"It happens {said}.", datetime(2026, 3, 16, 9, tzinfo=UTC))
    assert day in str(found)


NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.mark.behaviour("D5")
@pytest.mark.parametrize(
    ("before", "days", "words"),
    [
        (timedelta(0), 0, "today"),
        (DAY - timedelta(microseconds=1), 0, "today"),
        (DAY, 1, "1 day ago"),
        (2 * DAY - timedelta(microseconds=1), 1, "1 day ago"),
        (2 * DAY, 2, "2 days ago"),
        (47 * DAY + HOUR, 47, "47 days ago"),
        (365 * DAY, 365, "365 days ago"),
        (-HOUR, 0, "today"),
        (-DAY, 0, "today"),
        (-DAY - HOUR, None, "at an unknown time"),
        (-400 * DAY, None, "at an unknown time"),
    ],
)
def test_age_in_whole_days_never_negative(before: timedelta, days: int | None, words: str) -> None:
    assert memory_age(NOW - before, NOW) == days
    assert age_in_words(NOW - before, NOW) == words


@pytest.mark.behaviour("D5")
@pytest.mark.parametrize("year", [1, 1970, 1999, 2107, 9999])
def test_a_time_that_cannot_be_is_unknown_and_has_a_caveat(year: int) -> None:
    written = datetime(year, 12, 31, tzinfo=UTC)
    assert memory_age(written, NOW) is None
    assert age_in_words(written, NOW) == "at an unknown time"
    assert is_old(written, NOW)
    assert memory_age(datetime(2000, 1, 1, tzinfo=UTC), NOW) == 9_585


def test_the_age_is_the_same_in_every_zone() -> None:
    then = NOW - 3 * DAY - HOUR
    tokyo = timezone(timedelta(hours=9))
    assert memory_age(then.astimezone(tokyo), NOW) == memory_age(then, NOW.astimezone(tokyo)) == 3


@pytest.mark.behaviour("D5")
def test_a_memory_is_old_after_a_day_or_what_the_setting_says() -> None:
    assert not is_old(NOW - 24 * HOUR, NOW)
    assert not is_old(NOW + DAY, NOW)
    assert is_old(NOW - 24 * HOUR - timedelta(seconds=1), NOW)
    week = Settings(caveat_after_hours=24 * 7)
    assert not is_old(NOW - 7 * DAY, NOW, week)
    assert is_old(NOW - 7 * DAY - HOUR, NOW, week)
    assert is_old(NOW - HOUR, NOW, Settings(caveat_after_hours=0))
