"""The noisy selector: it knows the labels, and errs on purpose at a known
rate.

It is not a language model, and it ignores the prompt. That is what makes it
useful: since its error rate is known, everything else that a comparison shows
comes from chance.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from hashlib import sha256
from random import Random

from memlab.bench.answer import Answer
from memlab.bench.tasks import TASKS
from memlab.bench.tasks.select import judge_choice
from memlab.evals.labelled import (
    RecallCase,
    RecallSet,
    load_recall_set,
)
from memlab.memdir.scan import MemoryHeader
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.prompts.blocks import read_blocks

WRONG = 0.20
"""The error rate of the notebook: one answer in five."""
NO_PROMPT = "0" * 12
"""The version of the prompts: there is none, since they are ignored."""
_AT = datetime(2026, 3, 30, 9, tzinfo=UTC)


@cache
def selection_cases(half: str = "work") -> tuple[RecallCase, ...]:
    """Return the labels of the bench's cases for the task *select*, of one
    half.
    """
    return tuple(case.entry[0] for case in TASKS["select"].cases(half))


def ask_noisy(
    cases: Iterable[RecallCase],
    variant: str = "base",
    *,
    seed: int,
    wrong: float = WRONG,
    repeats: int = 3,
) -> list[Answer]:
    """Ask the noisy selector every case ``repeats`` times.

    The answers are labelled with the name of the variant. Nothing else
    depends on that name: the prompt is ignored.
    """
    selector = NoisySelector(
        cases, _labelled().headers, wrong=wrong, seed=seed
    )
    return selector.answers(variant, repeats)


def noisy_votes(
    cases: Iterable[RecallCase],
    *,
    seed: int,
    wrong: float = WRONG,
    repeats: int = 3,
) -> dict[str, list[bool]]:
    """Return for each case which of its answers are correct, without writing
    the answers: the same as ``ask_noisy`` gives, and much faster.
    """
    selector = NoisySelector(cases, {}, wrong=wrong, seed=seed)
    return {
        case.id: [
            not selector.errs(case, repeat) for repeat in range(1, repeats + 1)
        ]
        for case in selector.cases
    }


@lru_cache(maxsize=200_000)
def _chance(seed: int, case_id: str, repeat: int) -> float:
    """Return a number from 0 to 1 that looks random, and is always the same."""
    return Random(f"{seed} {case_id} {repeat}").random()


@cache
def _labelled() -> RecallSet:
    return load_recall_set()


class NoisySelector:
    """Chooses the labelled memories, or with the probability ``wrong``
    something else.

    Whether an answer is wrong, and how, depends only on ``seed``, the case
    and the repeat. ``headers`` are those of each directory.
    """

    def __init__(
        self,
        cases: Iterable[RecallCase],
        headers: Mapping[str, Sequence[MemoryHeader]],
        *,
        wrong: float = WRONG,
        seed: int = 0,
    ) -> None:
        self.cases = tuple(cases)
        self.wrong, self.seed = wrong, seed
        self._files = {
            directory: sorted(header.filename for header in each)
            for directory, each in headers.items()
        }
        self._asked: Counter[str] = Counter()

    @property
    def name(self) -> str:
        """What the answers are labelled with."""
        return f"noisy selector, {self.wrong:.0%} wrong".replace("%", " %")

    def choose(self, case: RecallCase, repeat: int = 1) -> tuple[str, ...]:
        """Return the files that it chooses for a case, in alphabetical order."""
        if not self.errs(case, repeat):
            return tuple(sorted(case.relevant))
        chance = Random(f"{self.seed} {case.id} {repeat}")
        chance.random()  # this number has decided that the answer is wrong
        return tuple(sorted(self._wrong_choice(case, chance)))

    def errs(self, case: RecallCase, repeat: int = 1) -> bool:
        """Tell whether its answer to a case is wrong."""
        return _chance(self.seed, case.id, repeat) < self.wrong

    def _wrong_choice(self, case: RecallCase, chance: Random) -> set[str]:
        """Leave out a file, choose too many, or choose others instead."""
        relevant = sorted(case.relevant)
        others = sorted(case.tempting) or [
            file
            for file in self._files[case.directory]
            if file not in case.relevant
        ]
        # one file that is neither relevant nor tempting is no mistake
        extra = chance.sample(others, 1 if case.tempting else 2)
        kind = chance.choice(("left out", "too many", "instead"))
        if not relevant:
            return {extra[0]}
        left_out = chance.choice(relevant)
        chosen = set(relevant)
        if kind != "too many":
            chosen.remove(left_out)
        if kind == "instead":
            chosen.add(extra[0])
        if kind == "too many":
            chosen.update(extra)
        return chosen

    def answers(self, variant: str = "base", repeats: int = 3) -> list[Answer]:
        """Answer every case as often as asked, without a request."""
        return [
            self._answer(case, variant, repeat)
            for case in self.cases
            for repeat in range(1, repeats + 1)
        ]

    def role(self, request: ModelRequest) -> Reply:
        """Answer a request for a selection, as a role of the offline model.

        The same case asked again is its next repeat.
        """
        query = read_blocks(request.text)["query"][0].body
        case = next(each for each in self.cases if each.query == query)
        self._asked[case.id] += 1
        chosen = self.choose(case, self._asked[case.id])
        return Reply([say(json.dumps({"selected_memories": [*chosen]}))])

    def _answer(self, case: RecallCase, variant: str, repeat: int) -> Answer:
        judged = judge_choice(case, self.choose(case, repeat))
        return Answer(
            task="select",
            variant=variant,
            version=NO_PROMPT,
            case=case.id,
            case_version=_version_of(case),
            half=case.half,
            repeat=repeat,
            model=self.name,
            mode="course",
            at=_AT,
            correct=judged.correct,
            score=judged.score,
            metrics=dict(judged.metrics),
            said=judged.said,
            wanted=judged.wanted,
            why=judged.why,
        )


def _version_of(case: RecallCase) -> str:
    label = f"{case.query} {sorted(case.relevant)} {sorted(case.tempting)}"
    return sha256(label.encode()).hexdigest()[:12]
