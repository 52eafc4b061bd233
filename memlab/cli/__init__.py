"""The command line: ``commands`` has the table of subcommands, and most have a
module here.

``lab``, ``test``, ``reset``, ``store`` and ``setup``, which makes the
environment, use the standard library alone, because they run before anything
is installed. ``chat`` has what runs in a terminal once the packages are there.
"""
