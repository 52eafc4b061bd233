"""The quizzes, one file a notebook; a new one becomes known by standing in this list.

Left out: how a quiz is shown, which stands in ``memlab.course.asking``.
"""

from __future__ import annotations

from collections.abc import Mapping

from memlab.course.quiz_sheet import Quiz
from memlab.course.quizzes import (
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

QUIZZES: Mapping[int, Quiz] = {
    quiz.notebook: quiz
    for quiz in (
        nb00.QUIZ,
        nb01.QUIZ,
        nb02.QUIZ,
        nb03.QUIZ,
        nb04.QUIZ,
        nb05.QUIZ,
        nb06.QUIZ,
        nb07.QUIZ,
        nb08.QUIZ,
        nb09.QUIZ,
        nb10.QUIZ,
        nb11.QUIZ,
    )
}
