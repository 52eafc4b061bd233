"""Every gap: ours passes, every wrong answer is caught with the words of its message, and so on."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memlab
from memlab.course.gap import Gap, all_gaps, judge
from memlab.course.own_parts import check, solution
from memlab.course.sources import load

GAPS = pytest.mark.parametrize("gap", all_gaps().values(), ids=lambda gap: gap.name)
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
def test_ours_passes_and_every_wrong_answer_gets_its_message(gap: Gap) -> None:
    assert judge(gap, gap.ours).state == "pass", judge(gap, gap.ours)
    assert gap.hints
    assert gap.why.endswith(".")
    assert len(gap.wrong) >= 5
    for function, words in wrong_answers(gap):
        verdict = judge(gap, function)
        assert verdict.state == "not yet", words
        assert words in " ".join(str(verdict).split()), verdict


@GAPS
def test_the_solution_can_be_pasted_into_a_cell(
    gap: Gap, capsys: pytest.CaptureFixture[str]
) -> None:
    text = solution(gap.name).markdown.split("```python\n")[1].split("\n```")[0]
    check(load(gap.name, f"{text}\n\n\nprint('once')\n"))
    said = capsys.readouterr().out
    assert "✓ pass" in said
    assert said.count("once") == 1


@GAPS
def test_right_answers_by_somebody_else_pass(gap: Gap) -> None:
    texts = [file.read_text("utf-8") for file in RIGHT.glob(f"nb{gap.notebook:02d}_*.py")]
    answers = [
        text
        for text in texts
        if gap.name in [getattr(node, "name", "") for node in ast.parse(text).body]
    ]
    assert len(answers) >= 2
    for text in answers:
        verdict = judge(gap, load(gap.name, text))
        assert verdict.state == "pass", verdict


def test_no_module_imports_a_function_by_name_that_a_part_replaces() -> None:
    places = {gap.place for gap in all_gaps().values()}
    found = []
    for file in Path(memlab.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and "gaps" not in file.parts:
                taken = {f"{node.module}.{alias.name}" for alias in node.names} & places
                found += [f"{file.name}: {name}" for name in sorted(taken)]
    assert not found
