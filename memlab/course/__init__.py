"""What a notebook imports: a prepared lab, shown source, exercises, quizzes, the scoreboard.

Left out at import: the SDK, IPython, matplotlib and ipywidgets. Each is loaded when first used.
"""

from __future__ import annotations

from memlab.course.adapters import both_allow
from memlab.course.agents import (
    agent_for,
    fork_for,
    harness_for,
    prefetch_for,
    spoken,
    tool_context,
)
from memlab.course.attack_sets import AttackSets
from memlab.course.baselines import build_request, memory_reminder, summary_reminder
from memlab.course.checking import answer, check, hint, quiz, solution
from memlab.course.display import Listing, Page
from memlab.course.evidence import stands_in
from memlab.course.example import Question, load_questions
from memlab.course.exercise import Exercise
from memlab.course.exercise_files import all_exercises
from memlab.course.figures import Timeline, timeline
from memlab.course.lab import Lab, begin
from memlab.course.measuring import Row, measure
from memlab.course.overview import map_alt, system_map, write_maps
from memlab.course.parts import Parts
from memlab.course.quizzes import Quiz
from memlab.course.scoreboard import Scoreboard, scoreboard
from memlab.course.source import show_prompt, show_source
from memlab.course.tables import Table, table
from memlab.course.widgets.before_after import before_after
from memlab.course.widgets.chat import Conversation, chat

__all__ = [
    "AttackSets",
    "Conversation",
    "Exercise",
    "Lab",
    "Listing",
    "Page",
    "Parts",
    "Question",
    "Quiz",
    "Row",
    "Scoreboard",
    "Table",
    "Timeline",
    "agent_for",
    "all_exercises",
    "answer",
    "before_after",
    "begin",
    "both_allow",
    "build_request",
    "chat",
    "check",
    "fork_for",
    "harness_for",
    "hint",
    "load_questions",
    "map_alt",
    "measure",
    "memory_reminder",
    "prefetch_for",
    "quiz",
    "scoreboard",
    "show_prompt",
    "show_source",
    "solution",
    "spoken",
    "stands_in",
    "summary_reminder",
    "system_map",
    "table",
    "timeline",
    "tool_context",
    "write_maps",
]
