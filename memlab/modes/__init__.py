"""Other ways to remember: session memory, team memory and the daily log will
be here.
"""
