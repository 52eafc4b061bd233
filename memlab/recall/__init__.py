"""Recall: of all memories, the few that help with the message at hand.

Left out: the index, which is in every prompt anyway.
"""

from memlab.recall.attach import Surfaced, surface
from memlab.recall.choose import Selection, select_relevant_memories
from memlab.recall.keyword import keyword_rank
from memlab.recall.prefetch import Prefetch
from memlab.recall.recall import recall
from memlab.recall.report import RecallReport

__all__ = [
    "Prefetch",
    "RecallReport",
    "Selection",
    "Surfaced",
    "keyword_rank",
    "recall",
    "select_relevant_memories",
    "surface",
]
