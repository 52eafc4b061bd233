"""The exercises, one file a notebook; a new one becomes known by standing in this list.

Left out: the notebooks' prose around them.
"""

from __future__ import annotations

from collections.abc import Mapping

from memlab.course.exercise import Exercise
from memlab.course.exercises import (
    nb00,
    nb01,
    nb02,
    nb03,
    nb04,
    nb05,
    nb06,
    nb07,
    nb08,
    nb09,
    nb10,
    nb11,
)

EXERCISES: Mapping[str, Exercise] = {
    exercise.name: exercise
    for notebook in (nb00, nb01, nb02, nb03, nb04, nb05, nb06, nb07, nb08, nb09, nb10, nb11)
    for exercise in notebook.EXERCISES
}
