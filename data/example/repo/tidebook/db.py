'''The only module that talks to PostgreSQL.'''

from __future__ import annotations

import asyncio
import os
from datetime import date
from typing import Any

from tidebook.boats import Boat
from tidebook.bookings import Booking

BOATS = 'SELECT number, name, seats, pence_per_hour, in_service FROM boat ORDER BY number'
BOOKINGS = '''
SELECT number, boat, surname, leaves, returns, back
FROM booking
WHERE leaves::date = %s
ORDER BY leaves
'''
OVERDUE = 'SELECT number, boat, surname, late_by FROM overdue'


def database_url() -> str:
	'''The connection string, which is kept in the environment and nowhere else.'''
	url = os.environ.get('TIDEBOOK_DB')
	if not url:
		raise RuntimeError('TIDEBOOK_DB is not set; export the connection string first')
	return url


async def fetch(query: str, *values: object) -> list[tuple[Any, ...]]:
	'''Run one query on its own connection.'''
	import psycopg

	async with await psycopg.AsyncConnection.connect(database_url()) as connection:
		cursor = await connection.execute(query, values)
		return await cursor.fetchall()


async def load_day(day: date) -> tuple[list[Boat], list[Booking]]:
	'''The boats and bookings of a day, queried concurrently.'''
	boats, bookings = await asyncio.gather(fetch(BOATS), fetch(BOOKINGS, day))
	return [Boat(*row) for row in boats], [Booking(*row) for row in bookings]


async def overdue() -> list[tuple[Any, ...]]:
	'''Rows of the `overdue` view, the longest overdue first.'''
	return await fetch(OVERDUE)
