'''The board on the wall of the hut: who is out, and who should be back by now.'''

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tidebook.bookings import Booking
from tidebook.tides import Window, window_around


def still_out(
	bookings: Iterable[Booking], windows: Iterable[Window], now: datetime
) -> list[Booking]:
	'''Parties on the water, with the one whose tide turns first at the top.'''
	known = list(windows)

	def turn_of_tide(booking: Booking) -> tuple[datetime, int]:
		window = window_around(known, booking.leaves)
		return (window.closes if window else booking.leaves, booking.number)

	out = [booking for booking in bookings if booking.leaves <= now and booking.back is None]
	return sorted(out, key=turn_of_tide)


def state(booking: Booking, now: datetime) -> str:
	'''The state of a booking in one word.'''
	if booking.back is not None:
		return 'BACK'
	if booking.leaves > now:
		return 'NEXT'
	return 'LATE' if booking.returns < now else 'OUT'


def render(bookings: Iterable[Booking], windows: Iterable[Window], now: datetime) -> str:
	'''The board as text, one line per party.'''
	return '\n'.join(
		f'{state(booking, now):<4}  boat {booking.boat:>2}  {booking.surname:<14}'
		f'  back by {booking.returns:%H:%M}'
		for booking in still_out(bookings, windows, now)
	)
