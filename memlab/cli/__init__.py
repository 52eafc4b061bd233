"""The command line: ``setup`` makes an environment, and each command has a module.

``lab``, ``test``, ``reset`` and ``store`` are written with the standard library alone, because they
run before anything is installed. ``chat`` has the terminal.
"""
