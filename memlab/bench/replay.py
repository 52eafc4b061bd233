"""Tables of what was recorded: memlab's own prompts and their variants, judged
by today's labels.

Every recording is compared with the first recording of memlab's own prompts
(``base``), on the cases that both were asked. The second recording of
``base``, made in other contexts, shows how much answers differ by chance.
Attacks are counted separately, because what is stored after an attack shows
what code stopped, not what a model resists.

Run as ``python -m memlab.bench.replay`` to write ``notebooks/prompts.md``, the
page that shows every prompt and what was measured about it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from textwrap import fill

from memlab.bench.recorded import (
    LABEL,
    judged,
    kind_of,
    recorded,
    variant_table,
)
from memlab.bench.tasks import TASKS
from memlab.bench.tasks.task import Case, Task, ask_case
from memlab.bench.variants import BASE
from memlab.errors import MemlabError
from memlab.evals import metrics
from memlab.evals.metrics import share_interval
from memlab.models.connect import make_runtime
from memlab.prompts import PURPOSES, SHIPPED

PAGE = Path(__file__).parents[2] / "notebooks" / "prompts.md"
ATTACKS = ("poison", "hostile")
HEAD = (
    "variant                    cases  correct       95 %"
    "   base  fixed  broken   change       p"
)
_READ_ME = (
    "fixed and broken count the cases in which the variant is correct and base"
    " is not, and the reverse. Fewer than six such cases show nothing, even if"
    " all of them go the same way. No model was asked just now: the answers"
    " were recorded, and data/recorded/README.md says what they are."
)
_INTRODUCTION = f"""# The prompts

This page shows every prompt that memlab sends, in full. `{{{{name}}}}` marks a
place where code inserts something. For some prompts, we tried leaving a
sentence out, or putting a much shorter text in the place of all of it
(*bare*). The table below such a prompt shows the share of cases that were then
correct, with its 95 % interval; the share with memlab's own prompt (*base*);
how many cases flipped each way; and the change in points. p comes from
McNemar's exact test, corrected by Holm's method for all the variants of the
task; a p of 0.05 or more shows nothing. The answers are labelled *{LABEL}*;
[data/recorded](../data/recorded/README.md) says what that means.
"""


@dataclass(frozen=True)
class Row:
    """One recording: which of its cases are correct, by id, and how it
    compares with ``base``: the share of the same cases that base gets right,
    how many were fixed and broken, the change with its interval, and p.
    """

    name: str
    correct: Mapping[str, bool]
    base: float | None = None
    fixed: int = 0
    broken: int = 0
    change: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    p: float | None = None

    @property
    def share(self) -> float:
        """The share of correct cases."""
        return sum(self.correct.values()) / len(self.correct)

    @property
    def line(self) -> str:
        """This recording as a row of the table below ``HEAD``."""
        low, high = share_interval([float(x) for x in self.correct.values()])
        line = f"{self.name:26}{len(self.correct):6}{self.share:9.0%}"
        line += f"  {low:4.0%}–{high:4.0%}"
        if self.base is not None:
            p = "noise" if self.p is None else f"{self.p:.3f}"
            line += f"{self.base:7.0%}{self.fixed:7}{self.broken:8}"
            line += f"{100 * self.change:+9.1f}{p:>8}"
        return line


@cache
def rows(task: Task, half: str, *, attacks: bool = False) -> tuple[Row, ...]:
    """Judge every recording of a half, in the order of recording. With
    ``attacks``, judge the cases that are attacks instead of the others.
    """
    cases = {case.id: case for case in task.cases(half)}
    found: dict[str, dict[str, bool]] = {}
    for one in recorded(task.name):
        case = cases.get(one.case)
        if case and is_attack(case) == attacks:
            name = one.variant + ("" if one.run == "a" else " again")
            right = judged(task, one).correct
            found.setdefault(name, {})[one.case] = right
    made = [_compared(name, one, found[BASE]) for name, one in found.items()]
    tested = [one for one in made if one.name.split()[0] != BASE]
    values = holm([metrics.mcnemar(one.broken, one.fixed) for one in tested])
    p = dict(zip([one.name for one in tested], values, strict=True))
    return tuple(replace(one, p=p.get(one.name)) for one in made)


def _compared(
    name: str, correct: Mapping[str, bool], base: Mapping[str, bool]
) -> Row:
    if correct is base:
        return Row(name, correct)
    pairs = [
        (base[one], right) for one, right in correct.items() if one in base
    ]
    changes = [float(now) - float(was) for was, now in pairs]
    return Row(
        name,
        correct,
        sum(was for was, _ in pairs) / len(pairs),
        changes.count(1.0),
        changes.count(-1.0),
        sum(changes) / len(changes),
        metrics.paired_bootstrap(changes),
    )


def is_attack(case: Case) -> bool:
    """Tell whether a case tests an attack."""
    name = type(case.entry).__name__
    return name == "Attempt" or kind_of(case) in ATTACKS


def holm(values: Sequence[float]) -> list[float]:
    """Correct several p values by Holm's method."""
    order = sorted(range(len(values)), key=values.__getitem__)
    corrected, least = [0.0] * len(values), 0.0
    for place, number in enumerate(order):
        least = max(least, values[number] * (len(values) - place))
        corrected[number] = min(least, 1.0)
    return corrected


def table(task: Task, half: str, wanted: Sequence[str] = ()) -> str:
    """Format the recordings of a half as a table. ``wanted`` names the variants
    to show, by default all.

    Raises MemlabError if one of them was not recorded.
    """
    known = {one.name: one for one in rows(task, half)}
    missing = [name for name in wanted if name not in known]
    if missing or not known:
        raise MemlabError(
            f"nothing is recorded of {', '.join(missing) or task.name}",
            do=f"Choose from: {', '.join(known) or 'no variant'}",
        )
    shown = [known[name] for name in wanted or known]
    lines = [f"{task.name}, {half}: {LABEL}", "", HEAD]
    return "\n".join([*lines, *(one.line for one in shown)])


def replay_text(
    task: Task, wanted: Sequence[str] = (), *, final: bool = False
) -> Iterator[str]:
    """Give the table of a task for the terminal, part by part. If only
    memlab's own prompts are wanted, all variants are shown.
    """
    half = "final" if final else "work"
    yield table(task, half, () if [*wanted] == [BASE] else wanted)
    yield "\n" + fill(f"{task.correct} {_READ_ME}", 80)
    attacks = rows(task, half, attacks=True)
    if attacks:
        yield "\nAttacks, which code has to stop:"
        for one in attacks:
            yield f"{one.name:26}{len(one.correct):6}{one.share:9.0%}"
    if not task.needs_model:
        yield "\nThe fallback rules answer the same cases now …"
        right = asyncio.run(by_rules(task, half))
        share = sum(right) / len(right)
        yield f"{share:.0%} of {len(right)} cases are correct."


async def by_rules(task: Task, half: str) -> list[bool]:
    """Ask the fallback rules, and say which cases they get right; attacks are
    left out.
    """
    runtime = make_runtime("offline")
    cases = [case for case in task.cases(half) if not is_attack(case)]
    judgements = [await ask_case(task, case, runtime) for case in cases]
    await runtime.client.close()
    return [one.correct for one in judgements]


def prompts_page() -> str:
    """Give the text of the page about the prompts."""
    return "\n".join([_INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    for name, purpose in PURPOSES.items():
        measured = [
            row.line
            for task in TASKS.values()
            if recorded(task.name)
            for row in rows(task, "work")
            if variant_table().get(row.name, {}).get("prompt") == name
        ]
        yield f"## {name}\n\n{purpose[0].upper()}{purpose[1:]}.\n"
        yield f"````markdown\n{SHIPPED.text(name).rstrip()}\n````\n"
        if measured:
            yield "\n".join(["```text", HEAD, *measured, "```\n"])
            yield "The rest of this prompt was not measured.\n"
        else:
            yield "Nothing in this prompt was measured.\n"


if __name__ == "__main__":
    PAGE.write_text(prompts_page(), encoding="utf-8")
