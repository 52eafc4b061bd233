"""The agent in a terminal: ``python3 -m memlab chat``.

It turns what a person types into calls of the harness, and shows what comes back.
"""
