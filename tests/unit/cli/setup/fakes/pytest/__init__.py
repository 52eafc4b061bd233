"""Stands in for pytest; see ``__main__``."""
