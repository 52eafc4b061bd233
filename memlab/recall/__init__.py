"""Recall: of all memories, the few that help with the current message.

The index is not recalled, because it is in every request anyway.
"""

from memlab.recall.attach import Surfaced, surface
from memlab.recall.choose import Choice, Selection, choose, select_relevant_memories
from memlab.recall.keyword import keyword_rank
from memlab.recall.prefetch import Prefetch
from memlab.recall.recall import recall
from memlab.recall.report import RecallReport

__all__ = [
    "Choice",
    "Prefetch",
    "RecallReport",
    "Selection",
    "Surfaced",
    "choose",
    "keyword_rank",
    "recall",
    "select_relevant_memories",
    "surface",
]
