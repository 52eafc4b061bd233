from tidebook.cli import main


def test_hours_of_a_day(capsys):
	assert main(['hours', '2026-03-29']) == 0
	assert capsys.readouterr().out.splitlines() == [
		'00:32 to 05:02   last return 04:17',
		'13:05 to 17:35   last return 16:50',
	]


def test_hours_on_the_wall_clock(capsys):
	main(['hours', '2026-03-29', '--offset', '1'])
	assert '14:05 to 18:35' in capsys.readouterr().out
