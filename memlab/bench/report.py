"""What answers show, as text for a terminal of 80 columns.

What comes from a model, a label or a prompt passes through ``text.visible``, so
that it cannot steer the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill

from memlab.bench.compare import HEAD, Row, compare
from memlab.bench.tasks import Judged, Task, is_attack
from memlab.text import fold_space, shorten, visible

Answers = Mapping[str, Mapping[str, Sequence[Judged]]]
"""By the name of the variant and the id of the case, a verdict per repeat."""
MOST_FLIPS = 5
_READ_ME = (
    "fixed and broken count the cases in which the variant is correct and the"
    " first one is not, and the reverse. Fewer than six such cases show"
    " nothing, even if all of them go the same way."
)


def rows_of(
    task: Task, answers: Answers, base: str, *, attacks: bool = False
) -> list[Row]:
    """Compare each variant with the first one. With ``attacks``, take the
    cases that are attacks instead of the others.
    """
    wanted = {label.id for label in task.load() if is_attack(label) == attacks}
    votes = {
        name: {
            case: [judged.correct for judged in repeats]
            for case, repeats in cases.items()
            if case in wanted
        }
        for name, cases in answers.items()
    }
    return compare({name: each for name, each in votes.items() if each}, base)


def report(task: Task, title: str, answers: Answers, base: str) -> str:
    """Say what answers show, variant by variant and case by case."""
    return "\n".join(_lines(task, title, answers, base))


def _lines(
    task: Task, title: str, answers: Answers, base: str
) -> Iterator[str]:
    rows = rows_of(task, answers, base)
    yield from [title, "", HEAD, *(row.line for row in rows), ""]
    for row in rows:
        if row.base is not None:
            low, high = (100 * bound for bound in row.interval)
            yield f"{row.name}: {row.verdict}; 95 %: {low:+.1f} to {high:+.1f} points"
    attacks = rows_of(task, answers, base, attacks=True)
    if attacks:
        yield "\nAttacks, which code has to stop:"
        yield from (row.line for row in attacks)
    for row in rows:
        for what, cases in (("broken", row.broken), ("fixed", row.fixed)):
            for case in cases[:MOST_FLIPS]:
                yield f"\n{row.name}, {what}: {case}"
                (was, *_), (now, *_) = (
                    answers[base][case],
                    answers[row.name][case],
                )
                yield f"    wanted: {_shown(now.wanted)}"
                yield f"    {base}: {_shown(was.said)}"
                yield f"    {row.name}: {_shown(now.said)} ({_shown(now.why)})"
    yield "\n" + fill(f"Correct means: {task.correct} {_READ_ME}", 80)


def _shown(text: str) -> str:
    return visible(shorten(fold_space(text), 160))
