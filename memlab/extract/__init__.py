"""Extraction: what a conversation leaves behind, saved by a fork after each
turn.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "extractor": (
            "Extraction ExtractionHost Extractor Message Skip"
            " extraction_prompt messages_of new_messages"
        ),
        "grounding": "attribute",
        "store": "WitnessedStore",
    },
)
