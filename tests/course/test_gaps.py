"""Every gap: ours and another right answer pass, and every wrong answer gets its message.

In the tier *quick*, the wrong answers are tried of one gap per notebook.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.course.gap import Gap, all_gaps, judge
from memlab.course.own_parts import solution
from memlab.course.sources import load

RIGHT = Path(__file__).with_name("right.py").read_text("utf-8")
GAPS = all_gaps().values()
FIRST = [next(each) for _, each in itertools.groupby(GAPS, lambda gap: gap.notebook)]


def wrong_answers(gap: Gap) -> Iterator[tuple[Any, str]]:
    """Give each wrong answer, which may use what its module contains, and words of its message."""
    right = inspect.getsource(gap.ours)
    for source, *edit, words in gap.wrong:
        if edit:
            assert right.count(source) == 1, f"{source!r} is not in it once"
            source = right.replace(source, edit[0])
        names = {**vars(sys.modules[gap.ours.__module__]), "__name__": "__main__"}
        exec(f"from __future__ import annotations\n{source}", names)
        yield names[gap.name], words


@pytest.mark.parametrize(
    "gap",
    [pytest.param(gap, id=gap.name, marks=[pytest.mark.slow] * (gap not in FIRST)) for gap in GAPS],
)
def test_every_wrong_answer_gets_its_message(gap: Gap) -> None:
    assert gap.hints
    assert gap.why.endswith(".")
    assert len(gap.wrong) >= 5
    for function, words in wrong_answers(gap):
        verdict = judge(gap, function)
        assert verdict.state == "not yet", words
        assert words in " ".join(str(verdict).split()), verdict


@pytest.mark.parametrize("gap", GAPS, ids=lambda gap: gap.name)
def test_the_solution_alone_and_a_right_answer_by_somebody_else_pass(gap: Gap) -> None:
    shown = solution(gap.name).markdown.split("```python\n")[1].split("\n```")[0]
    for text in (shown, RIGHT):
        if f" {gap.name}(" in text or f"class {gap.name}:" in text:
            verdict = judge(gap, load(gap.name, text))
            assert verdict.state == "pass", verdict
