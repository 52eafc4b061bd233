"""Widgets: something to click on, above a plain object that does the work and
can be tested.

Every widget has a static version, which is shown wherever widgets are not. It
contains everything that the widget can show.
"""
