"""Recall: of all memories, the few that help with the message at hand.

The index is not part of it: that is in every prompt anyway.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "attach": "Attachment LeftOut Surfaced surface",
        "choose": "Selection checked select_relevant_memories selection_request",
        "keyword": "KeywordIndex keyword_rank",
        "pipeline": "RecallReport recall",
        "prefetch": "Prefetch Recalled",
    },
)
