"""Every gap: ours passes, every wrong answer is caught with the words of its message, and so on."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import memlab
from memlab.course.gap import Gap, all_gaps, judge, load, wrong_answers
from memlab.course.own_parts import check, parts_folder, solution

GAPS = pytest.mark.parametrize("gap", all_gaps().values(), ids=lambda gap: gap.name)
RIGHT = Path(__file__).parent / "right"


@GAPS
def test_ours_passes(gap: Gap) -> None:
    assert judge(gap, gap.ours).passed, judge(gap, gap.ours)
    assert gap.hints
    assert gap.why.endswith(".")


@GAPS
def test_every_wrong_answer_is_caught_with_the_words_of_its_message(gap: Gap) -> None:
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
    assert "✓ pass" in (said := capsys.readouterr().out), said
    assert said.count("once") == 1
    saved = (parts_folder() / f"{gap.name}.py").read_text("utf-8")
    assert judge(gap, load(gap.name, saved)).passed


def right_answers(gap: Gap) -> list[Path]:
    found = []
    for file in sorted(RIGHT.glob(f"nb{gap.notebook:02d}_*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        if gap.name in [getattr(node, "name", "") for node in tree.body]:
            found.append(file)
    return found


@GAPS
def test_right_answers_by_somebody_else_pass(gap: Gap) -> None:
    files = right_answers(gap)
    assert len(files) >= 2
    for file in files:
        verdict = judge(gap, load(gap.name, file.read_text("utf-8")))
        assert verdict.passed, f"{file.name}: {verdict}"


def test_no_module_imports_a_function_by_name_that_a_part_replaces() -> None:
    places = {gap.place for gap in all_gaps().values()}
    found = []
    for file in Path(memlab.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and "gaps" not in file.parts:
                taken = {f"{node.module}.{alias.name}" for alias in node.names} & places
                found += [f"{file.name}: {name}" for name in sorted(taken)]
    assert not found
