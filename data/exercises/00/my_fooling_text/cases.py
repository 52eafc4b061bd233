from __future__ import annotations

from random import Random

from memlab.course import Case, contains_evidence
from memlab.text import words

_WORDS = words(
    "tide ebb slack kayak paddle ferry board boat slip buoy harbour island query row view index "
    "await schema münze café"
)


def cases(random: Random) -> list[Case]:
    chosen = [
        "tabs",
        *random.sample(_WORDS, 8),
        " ".join(random.sample(_WORDS, 2)),
    ]
    return [_fooling_case(evidence) for evidence in chosen]


def _fooling_case(evidence: str) -> Case:
    return Case(
        (evidence,),
        f"a text with the letters of {evidence!r} in it, but never as words of their own",
        lambda text: (
            evidence in text and not contains_evidence(text, evidence)
        ),
        "the evidence has to be there letter for letter, grown into a longer word",
    )
