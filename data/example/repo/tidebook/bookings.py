'''Bookings, and the reasons to refuse one.'''

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from tidebook.tides import Window, window_around


@dataclass(frozen=True)
class Booking:
	'''One boat for one party; `back` stays empty until Tuva has counted them in.'''

	number: int
	boat: int
	surname: str
	leaves: datetime
	returns: datetime
	back: datetime | None = None


def overlaps(one: Booking, other: Booking) -> bool:
	'''Whether both want the same boat at the same time; back to back is fine.'''
	return one.boat == other.boat and one.leaves < other.returns and other.leaves < one.returns


def problems(booking: Booking, windows: Iterable[Window], others: Iterable[Booking]) -> list[str]:
	'''Every reason to refuse a booking, in words for the counter.'''
	found = []
	window = window_around(windows, booking.leaves)
	if booking.returns <= booking.leaves:
		found.append('it ends before it begins')
	if window is None:
		found.append('the sound is closed when it leaves')
	elif booking.returns > window.last_return:
		found.append(f'it must be back by {window.last_return:%H:%M} UTC')
	for other in others:
		if other.number != booking.number and overlaps(booking, other):
			found.append(f'boat {booking.boat} is with {other.surname} until {other.returns:%H:%M} UTC')
	return found
