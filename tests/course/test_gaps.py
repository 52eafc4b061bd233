"""Every gap: ours and another right answer pass, and every wrong answer gets its message."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memlab
from memlab.course.gap import Gap, all_gaps, judge
from memlab.course.own_parts import solution
from memlab.course.sources import load

GAPS = pytest.mark.parametrize("gap", all_gaps().values(), ids=lambda gap: gap.name)
IMPORT = re.compile(r"from ([\w.]+) import (\([^)]*\)|.*)")
RIGHT = Path(__file__).parent / "right"


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


@GAPS
def test_every_wrong_answer_gets_its_message(gap: Gap) -> None:
    assert gap.hints
    assert gap.why.endswith(".")
    assert len(gap.wrong) >= 5
    for function, words in wrong_answers(gap):
        verdict = judge(gap, function)
        assert verdict.state == "not yet", words
        assert words in " ".join(str(verdict).split()), verdict


@GAPS
def test_the_solution_alone_and_a_right_answer_by_somebody_else_pass(gap: Gap) -> None:
    (file,) = RIGHT.glob(f"nb{gap.notebook:02d}.py")
    shown = solution(gap.name).markdown.split("```python\n")[1].split("\n```")[0]
    for text in (shown, file.read_text("utf-8")):
        verdict = judge(gap, load(gap.name, text))
        assert verdict.state == "pass", verdict


def test_no_module_imports_a_function_by_name_that_a_part_replaces() -> None:
    places = {gap.place for gap in all_gaps().values()}
    found = set()
    for file in Path(memlab.__path__[0]).rglob("*.py"):
        if "gaps" not in file.parts:
            for module, names in IMPORT.findall(file.read_text("utf-8")):
                found |= {f"{module}.{name}" for name in re.findall(r"\w+", names)} & places
    assert not found
