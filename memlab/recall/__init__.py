"""Recall: of all memories, the few that help with the current message.

The index is not recalled, because it is in every request anyway.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "attach": "Attachment Surfaced surface",
        "selection": (
            "LeftOut Selection choose select_relevant_memories"
            " named_in selection_request"
        ),
        "keyword": "KeywordIndex keyword_rank",
        "pipeline": "RecallReport recall",
        "prefetch": "Prefetch Recalled",
    },
)
