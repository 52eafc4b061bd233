"""Stands in for pip; see ``__main__``."""
