"""The agent in a terminal: ``python3 -m memlab chat``.

A tool, not a floor that is taught: it turns keys into calls of the harness and shows what comes.
"""
