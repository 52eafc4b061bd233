"""Faces: something to click on, above a plain object that does the work and
can be tested.

Every face has a static twin, which is shown wherever widgets are not. Left
out: anything that only a widget could tell.
"""
