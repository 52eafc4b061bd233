"""Whose words a new sentence is made of, and what a change loses and gains.

In reading order: ``sentences``, ``quotes`` and ``requests`` are about the form
of a text; ``origin`` and ``attribution`` say whose words it is; ``support``
judges a new sentence and ``review`` a whole change; ``pending`` keeps what a
person has to decide.
"""

from memlab.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "sentences": "Sentence sentences_of split split_lines split_sentences",
        "quotes": "without_quotes",
        "requests": "asks_to_ignore_memory open_part",
        "origin": "Origin Source Stamp explain remembered stamps_of",
        "attribution": "origin_of_tool whose_words",
        "support": "Evidence Judgement Verdict stamp_new",
        "review": "Change Gain Kept Review keep_lost",
        "pending": "PendingChange accepted add drop waiting",
    },
)
