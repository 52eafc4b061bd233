"""Stands in for jupyterlab; see ``__main__``."""
