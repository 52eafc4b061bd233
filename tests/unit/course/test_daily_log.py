"""What notebook 14 measures of the daily log over a month."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from memlab.course.month_of_logs import live_a_month, recorded_month
from tests.benchmarks.month import months


def test_days_of_logs_are_lived_and_dreamt(tmp_path: Path) -> None:
    month = asyncio.run(live_a_month(tmp_path, days=3))

    assert [day.lines for day in month.days] == [2, 2, 2]
    assert all(day.calls >= 2 and day.seconds > 0 and day.tokens > 0 for day in month.days)
    assert month.days[-1].memories == 6
    new, unrecognised = month.facts
    assert (new.said, new.in_log, new.in_memory, new.in_index) == (6, 6, 6, 6)
    assert (unrecognised.said, unrecognised.in_log) == (1, 0)


def test_the_recorded_month_is_complete() -> None:
    ours, other = recorded_month(), recorded_month(daily_log=False)

    assert len(ours.days) == len(other.days) == 30
    assert ours.log_bytes == sum(day.bytes for day in ours.days) > 0 == other.log_bytes
    assert "extract" in other.costs
    assert "extract" not in ours.costs
    assert len(ours.table.rows) == 5
    assert [row[0] for row in ours.survival.rows] == [one.kind for one in ours.facts]


@pytest.mark.slow
def test_the_recorded_month_is_what_the_code_lives_through_today() -> None:
    lived = asyncio.run(months())

    assert lived["log"] == recorded_month().as_json()
    assert lived["extraction"] == recorded_month(daily_log=False).as_json()
