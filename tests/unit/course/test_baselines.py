"""The scoreboard's stages from notebook 02 on: hooks in the prompt, memories in front of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from memlab.course import Lab, begin, measure, my, scoreboard
from memlab.course.baselines import build_request, hooks_in, recalled, recalled_from, the_hooks
from memlab.course.measuring import Builder
from memlab.memdir.instructions import memory_section
from memlab.memdir.scan import MemoryHeader
from memlab.text import request_text


def found(lab: Lab, label: str) -> list[str]:
    """What the scoreboard finds, in the memory as every notebook finds it."""
    row = next(row for row in scoreboard(lab).rows if row.label == label)
    return [hit.question for hit in row.detail if hit.found]


def found_now(lab: Lab, build: Callable[..., Builder]) -> list[str]:
    """What the same stage finds in the lab's own memory as it is now."""
    row = measure("02 now", build(lab, lab.memory, lab.show), lab.questions)
    return [hit.question for hit in row.detail if hit.found]


def test_each_stage_finds_more_for_more_tokens() -> None:
    rows = scoreboard(begin(4)).rows
    assert [(row.notebook, row.label) for row in rows[2:4]] == [(2, "the hooks"), (4, "recall")]
    assert [row.found for row in rows[:4]] == [0, 0, 4, 9]
    assert rows[0].tokens_mean < rows[2].tokens_mean < rows[3].tokens_mean


def test_the_hooks_are_the_memory_section_in_the_system_prompt() -> None:
    lab = begin(2)
    request = the_hooks(lab)(lab.questions[0])
    assert request["system"][1]["text"] == memory_section(lab.memory, show=lab.show)
    assert request["messages"] == build_request(lab, lab.questions[0].question)["messages"]
    assert str(lab.home) not in request_text(request)


def test_taking_a_pointer_out_of_the_index_takes_its_answer_away() -> None:
    lab = begin(2)
    before = found(lab, "the hooks")
    (lab.memory / "MEMORY.md").write_text("", encoding="utf-8")
    assert len(before) == 4
    assert found(lab, "the hooks") == before
    assert found_now(lab, hooks_in) == []


@pytest.mark.behaviour("F6")
def test_recall_attaches_in_front_of_the_question_and_not_in_the_system_prompt() -> None:
    lab = begin(4)
    question = next(each for each in lab.questions if each.id == "q07")
    request = recalled(lab)(question)
    assert request["system"] == the_hooks(lab)(question)["system"]
    *attached, words = [block["text"] for block in request["messages"][0]["content"]]
    assert words == question.question
    assert 1 <= len(attached) <= 5
    assert any("stop-after-two-failures.md" in text for text in attached)
    assert str(lab.home) not in request_text(request)


def test_a_question_does_not_use_up_what_another_may_recall() -> None:
    lab = begin(4)
    build = recalled(lab)
    assert build(lab.questions[6]) == build(lab.questions[6])


def test_without_the_files_recall_finds_no_more_than_the_hooks() -> None:
    lab = begin(4)
    for path in lab.memory.glob("*.md"):
        if path.name != "MEMORY.md":
            path.unlink()
    assert found_now(lab, recalled_from) == found_now(lab, hooks_in) != []


def test_the_learners_ranking_chooses() -> None:
    def keyword_rank(query: str, headers: list[MemoryHeader], limit: int) -> Sequence[MemoryHeader]:
        return [each for each in headers if each.filename == "last-ferry-home.md"]

    ours = begin(4)
    usual = measure("04 recall", recalled(ours), ours.questions)
    with my.completed(keyword_rank=keyword_rank):
        row = measure("04 recall", recalled(ours), ours.questions)
    assert [hit.found for hit in row.detail] != [hit.found for hit in usual.detail]
    assert "q02" in [hit.question for hit in row.detail if hit.found]
