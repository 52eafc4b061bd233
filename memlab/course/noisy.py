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


def noisy_votes(
    cases: Iterable[Label], *, seed: int, wrong: float = 0.20
) -> dict[str, list[bool]]:
    """Ask the noisy selector every case once, and say by the id of the case
    whether its answer is correct; ``wrong`` is its error rate.

    It depends only on ``seed`` and the case.
    """
    return {case.id: [_chance(seed, case.id) >= wrong] for case in cases}


@lru_cache(maxsize=200_000)
def _chance(seed: int, case_id: str) -> float:
    """Return a number from 0 to 1 that looks random, and is always the same."""
    return Random(f"{seed} {case_id} 1").random()
