"""Extraction: what a conversation leaves behind, saved by a fork after each
turn.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "extractor": (
            "Extraction ExtractionHost Extractor Message extraction_prompt"
            " messages_of new_messages"
        ),
    },
)
