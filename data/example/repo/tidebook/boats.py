'''The boats of the hire.'''

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from tidebook.bookings import Booking


@dataclass(frozen=True)
class Boat:
	'''A kayak, identified by the number painted on its bow.'''

	number: int
	name: str
	seats: int
	pence_per_hour: int = 0
	in_service: bool = True


def free_boats(
	boats: Iterable[Boat],
	bookings: Iterable[Booking],
	seats: int,
	leaves: datetime,
	returns: datetime,
) -> list[Boat]:
	'''Boats in service with enough seats and no booking during the trip, smallest first.'''
	taken = {
		booking.boat
		for booking in bookings
		if booking.back is None and booking.leaves < returns and leaves < booking.returns
	}
	fitting = [
		boat
		for boat in boats
		if boat.in_service and boat.seats >= seats and boat.number not in taken
	]
	return sorted(fitting, key=lambda boat: (boat.seats, boat.number))
