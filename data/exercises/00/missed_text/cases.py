from random import Random

from memlab.course.exercise import Case
from memlab.course.measuring import contains_evidence
from memlab.text import words

WORDS = words(
    "tide ebb slack kayak paddle ferry board boat slip buoy harbour island query row view index"
)


def cases(random: Random) -> list[Case]:
    chosen = [
        "tabs",
        *random.sample(WORDS, 5),
        *(" ".join(random.sample(WORDS, 2)) for _ in range(3)),
    ]
    return [_case(evidence) for evidence in chosen]


def _case(evidence: str) -> Case:
    def fits(text: str) -> bool:
        shown = text.replace("*", "").replace("_", "")
        return contains_evidence(shown, evidence) and not contains_evidence(
            text, evidence
        )

    def seen(text: str) -> str:
        if contains_evidence(text, evidence):
            return "contains_evidence still finds the evidence in this text."
        return (
            "Without the marks * and _, the evidence has to be in the text as"
            " whole words."
        )

    return Case(
        (evidence,),
        f"a text in which contains_evidence misses {evidence!r} because of Markdown marks",
        fits,
        seen,
    )
