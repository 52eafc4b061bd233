'''The commands used in the hut: hours, board and late.'''

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

from tidebook import board, db
from tidebook.tides import Window, read_table, safe_windows, windows_of_day

TABLE = Path(__file__).parent.parent / 'tables' / 'brannay-2026.csv'


def load_windows(table: Path) -> list[Window]:
	'''The safe hours computed from a tide table.'''
	return safe_windows(read_table(table.read_text(encoding='utf-8').splitlines()))


def hours(table: Path, day: date, offset: int = 0) -> str:
	'''The safe hours of a day, shifted by whole hours to match the wall clock.'''
	shift = timedelta(hours=offset)
	return '\n'.join(
		f'{window.opens + shift:%H:%M} to {window.closes + shift:%H:%M}'
		f'   last return {window.last_return + shift:%H:%M}'
		for window in windows_of_day(load_windows(table), day)
	)


def parser() -> argparse.ArgumentParser:
	'''The command-line parser.'''
	root = argparse.ArgumentParser(prog='tidebook', description='Kayaks by the tide.')
	root.add_argument('--table', type=Path, default=TABLE, help='tide table to read')
	commands = root.add_subparsers(dest='command', required=True)
	day = commands.add_parser('hours', help='safe hours of a day')
	day.add_argument('day', type=date.fromisoformat)
	day.add_argument('--offset', type=int, default=0, help='hours to add for the wall clock')
	commands.add_parser('board', help='who is out')
	commands.add_parser('late', help='who should be back')
	return root


def main(arguments: Sequence[str] | None = None) -> int:
	'''Run one command.'''
	chosen = parser().parse_args(arguments)
	if chosen.command == 'hours':
		print(hours(chosen.table, chosen.day, chosen.offset))
		return 0
	if chosen.command == 'late':
		for _number, boat, surname, late_by in asyncio.run(db.overdue()):
			print(f'{boat:<12} {surname:<14} {late_by}')
		return 0
	now = datetime.now(timezone.utc)
	_boats, bookings = asyncio.run(db.load_day(now.date()))
	print(board.render(bookings, load_windows(chosen.table), now))
	return 0
