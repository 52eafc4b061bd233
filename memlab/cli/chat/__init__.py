"""The agent in a terminal: ``python3 -m memlab chat``, and the command
``dream``.

``conversation`` turns what a person types into calls of the harness and shows
what comes back. ``commands`` has what begins with a slash, and ``dream`` what
is done with dreams. ``terminal`` and ``editor`` are the screen and the line
that is typed.
"""
