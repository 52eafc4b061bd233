from datetime import date, datetime, timedelta, timezone

import pytest

from tidebook.tides import read_table, safe_windows, window_around, windows_of_day

TABLE = [
	'# one day at the pier',
	'kind,at,metres',
	'low,2026-03-29T09:14+00:00,1.6',
	'high,2026-03-29T03:02+00:00,3.7',
	'high,2026-03-29T15:35+00:00,3.6',
]


def at(hour: int, minute: int = 0) -> datetime:
	return datetime(2026, 3, 29, hour, minute, tzinfo=timezone.utc)


def test_table_is_sorted_by_time():
	assert [turn.kind for turn in read_table(TABLE)] == ['high', 'low', 'high']


def test_a_time_without_offset_is_refused():
	with pytest.raises(ValueError, match='no offset'):
		read_table(['kind,at,metres', 'high,2026-03-29T03:02,3.7'])


def test_one_window_for_each_high_water():
	first, second = safe_windows(read_table(TABLE))
	assert (first.opens, first.closes) == (at(0, 32), at(5, 2))
	assert second.last_return == at(16, 50)


def test_windows_belong_to_the_day_they_open():
	windows = safe_windows(read_table(TABLE))
	assert len(windows_of_day(windows, date(2026, 3, 29))) == 2
	assert windows_of_day(windows, date(2026, 3, 30)) == []


def test_the_sound_closes_on_the_minute():
	windows = safe_windows(read_table(TABLE))
	assert window_around(windows, at(17, 34)) is windows[1]
	assert window_around(windows, at(17, 34) + timedelta(minutes=1)) is None
