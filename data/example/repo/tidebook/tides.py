'''Tide tables, and the hours when a hire boat may be on the sound.'''

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

BEFORE_HIGH = timedelta(hours=2, minutes=30)
AFTER_HIGH = timedelta(hours=2)
MARGIN = timedelta(minutes=45)


@dataclass(frozen=True)
class Turn:
	'''One high or low water at Brannay pier.'''

	kind: str
	at: datetime
	metres: float


@dataclass(frozen=True)
class Window:
	'''The hours around one high water when beginners may be out.'''

	opens: datetime
	closes: datetime

	@property
	def last_return(self) -> datetime:
		'''The latest time a booking may end.'''
		return self.closes - MARGIN


def read_table(lines: Iterable[str]) -> list[Turn]:
	'''Read a tide table: a CSV with kind, at and metres, and # comment lines.'''
	rows = csv.DictReader(line for line in lines if not line.startswith('#'))
	turns = [
		Turn(row['kind'], datetime.fromisoformat(row['at']), float(row['metres'])) for row in rows
	]
	for turn in turns:
		if turn.at.tzinfo is None:
			raise ValueError(f'tide at {turn.at} has no offset; append +00:00')
	return sorted(turns, key=lambda turn: turn.at)


def safe_windows(turns: Iterable[Turn]) -> list[Window]:
	'''The safe hours, one window for each high water.'''
	return [
		Window(turn.at - BEFORE_HIGH, turn.at + AFTER_HIGH) for turn in turns if turn.kind == 'high'
	]


def windows_of_day(windows: Iterable[Window], day: date) -> list[Window]:
	'''The windows that open on this day.'''
	return [window for window in windows if window.opens.date() == day]


def window_around(windows: Iterable[Window], moment: datetime) -> Window | None:
	'''The window that contains this moment, or None when the sound is closed.'''
	for window in windows:
		if window.opens <= moment < window.closes:
			return window
	return None
