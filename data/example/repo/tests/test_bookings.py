from dataclasses import replace
from datetime import datetime, timezone

from tidebook.bookings import Booking, overlaps, problems
from tidebook.tides import Window


def at(hour: int, minute: int = 0) -> datetime:
	return datetime(2026, 3, 29, hour, minute, tzinfo=timezone.utc)


WINDOWS = [Window(at(13, 5), at(17, 35))]
OKORO = Booking(1, 4, 'Okoro', at(14), at(15, 30))


def test_a_booking_inside_the_window_is_fine():
	assert problems(OKORO, WINDOWS, []) == []


def test_back_to_back_is_no_overlap():
	assert not overlaps(OKORO, Booking(2, 4, 'Lind', at(15, 30), at(16, 30)))


def test_a_taken_boat_names_who_has_it():
	late_lind = Booking(2, 4, 'Lind', at(15), at(16, 30))
	assert problems(late_lind, WINDOWS, [OKORO]) == ['boat 4 is with Okoro until 15:30 UTC']


def test_the_margin_before_closing_is_kept():
	assert problems(replace(OKORO, returns=at(17)), WINDOWS, []) == ['it must be back by 16:50 UTC']


def test_a_closed_sound_is_reported():
	early = replace(OKORO, leaves=at(9), returns=at(10))
	assert problems(early, WINDOWS, []) == ['the sound is closed when it leaves']
