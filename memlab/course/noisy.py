"""The noisy selector: it errs on purpose at a known rate.

It is not a language model, and it ignores the prompt. That is what makes it
useful: since its error rate is known, everything else that a comparison shows
comes from chance.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random

from memlab.evals.labelled import Label

WRONG = 0.20
"""The error rate of the notebook: one answer in five."""


def noisy_votes(
    cases: Iterable[Label],
    *,
    seed: int,
    wrong: float = WRONG,
    repeats: int = 1,
) -> dict[str, list[bool]]:
    """Ask the noisy selector every case ``repeats`` times, and say by the id of
    the case which of its answers are correct.

    They depend only on ``seed``, the case and the repeat.
    """
    return {
        case.id: [
            _chance(seed, case.id, repeat) >= wrong
            for repeat in range(1, repeats + 1)
        ]
        for case in cases
    }


@lru_cache(maxsize=200_000)
def _chance(seed: int, case_id: str, repeat: int) -> float:
    """Return a number from 0 to 1 that looks random, and is always the same."""
    return Random(f"{seed} {case_id} {repeat}").random()
