"""Every date near a weekday's name is the one a person means."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memlab.memdir.dates import DAYS, find_relative_times
from tests.unit.memdir.test_dates import first_date


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.sampled_from(DAYS))
def test_a_weekday_is_counted_in_weeks_that_begin_on_monday(today: date, day: str) -> None:
    now = datetime(today.year, today.month, today.day, 12, tzinfo=UTC)
    monday = today - timedelta(today.weekday())
    for word, low, high in (
        ("next", monday + timedelta(7), monday + timedelta(13)),
        ("last", monday - timedelta(7), monday - timedelta(1)),
        ("this", today, today + timedelta(6)),
        ("coming", today + timedelta(1), today + timedelta(7)),
        ("since", today - timedelta(7), today - timedelta(1)),
    ):
        (found,) = find_relative_times(f"{word} {day.title()}", now)
        meant = date.fromisoformat(first_date(found.instead))
        assert low <= meant <= high
        assert DAYS[meant.weekday()] == day
