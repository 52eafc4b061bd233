from datetime import datetime, timezone

from tidebook.board import render, state, still_out
from tidebook.bookings import Booking
from tidebook.tides import Window


def at(hour: int, minute: int = 0) -> datetime:
	return datetime(2026, 3, 29, hour, minute, tzinfo=timezone.utc)


EARLY = Window(at(0, 32), at(5, 2))
AFTERNOON = Window(at(13, 5), at(17, 35))
WINDOWS = [EARLY, AFTERNOON]
ABBOTT = Booking(1, 5, 'Abbott', at(13, 30), at(16))
YOUNG = Booking(2, 4, 'Young', at(3), at(4))


def test_the_first_tide_to_turn_is_on_top():
	assert still_out([ABBOTT, YOUNG], WINDOWS, at(14)) == [YOUNG, ABBOTT]


def test_a_party_that_is_back_is_not_out():
	back = Booking(3, 7, 'Moreau', at(13, 30), at(15), back=at(14, 40))
	assert still_out([ABBOTT, back], WINDOWS, at(14, 50)) == [ABBOTT]


def test_states_are_words():
	assert [state(ABBOTT, at(hour)) for hour in (13, 14, 17)] == ['NEXT', 'OUT', 'LATE']


def test_board_shows_one_line_per_party():
	assert render([ABBOTT], WINDOWS, at(17)) == 'LATE  boat  5  Abbott          back by 16:00'
