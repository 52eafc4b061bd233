"""From a bare Python to an environment: makes ``.venv`` and installs what a
command needs.

It runs before anything is installed, so it imports the standard library only.
Left out: what the commands do once they run.
"""
