"""The age of a memory, in days and in words, and the caveat that goes with an old one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone

import pytest

from memlab.memdir.dates import age_in_words, caveat, memory_age
from memlab.settings import Settings
from tests.platforms import needs_tzset

NOW = datetime(2026, 3, 30, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


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
        (-400 * DAY, 0, "today"),
    ],
)
def test_age_in_whole_days_never_negative(before: timedelta, days: int, words: str) -> None:
    assert memory_age(NOW - before, NOW) == days
    assert age_in_words(NOW - before, NOW) == words


@pytest.fixture(params=["UTC", "Asia/Tokyo"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let this machine stand elsewhere, where Python can be told so."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@needs_tzset
@pytest.mark.usefixtures("zone")
def test_times_may_be_seconds_other_zones_or_without_one() -> None:
    then = NOW - 3 * DAY - HOUR
    tokyo = timezone(timedelta(hours=9))
    for mtime in (then, then.timestamp(), then.replace(tzinfo=None), then.astimezone(tokyo)):
        for now in (NOW, NOW.timestamp(), NOW.replace(tzinfo=None), NOW.astimezone(tokyo)):
            assert memory_age(mtime, now) == 3


def test_the_ends_of_the_calendar_have_an_age() -> None:
    first, last = (one.replace(tzinfo=UTC) for one in (datetime.min, datetime.max))
    assert memory_age(first, NOW) > 700_000
    assert memory_age(last, NOW) == 0
    assert caveat(last, NOW) == ""


def test_a_memory_older_than_a_day_gets_a_caveat() -> None:
    assert caveat(NOW - 24 * HOUR, NOW) == ""
    assert caveat(NOW + DAY, NOW) == ""
    text = caveat(NOW - 24 * HOUR - timedelta(seconds=1), NOW)
    assert text.startswith("Written 1 day ago.")
    assert "\n" not in text
    for said in ("what was seen then", "not how things are now", "line numbers", "Check before"):
        assert said in text
    assert caveat(NOW - 47 * DAY, NOW).startswith("Written 47 days ago.")


def test_when_the_caveat_begins_is_a_setting() -> None:
    week = Settings(caveat_after_hours=24 * 7)
    assert caveat(NOW - 7 * DAY, NOW, week) == ""
    assert caveat(NOW - 7 * DAY - HOUR, NOW, week) != ""
    assert caveat(NOW - HOUR, NOW, Settings(caveat_after_hours=0)).startswith("Written today.")
