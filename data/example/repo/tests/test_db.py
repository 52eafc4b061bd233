import asyncio
import os
from datetime import date

import pytest

from tidebook import db

needs_database = pytest.mark.skipif(not os.environ.get('TIDEBOOK_DB'), reason='TIDEBOOK_DB is not set')


def test_a_missing_connection_string_is_reported(monkeypatch):
	monkeypatch.delenv('TIDEBOOK_DB', raising=False)
	with pytest.raises(RuntimeError, match='TIDEBOOK_DB is not set'):
		db.database_url()


@needs_database
def test_a_day_can_be_loaded():
	boats, _bookings = asyncio.run(db.load_day(date(2026, 3, 29)))
	assert boats


@needs_database
def test_the_view_can_be_read():
	assert all(len(row) == 4 for row in asyncio.run(db.overdue()))
