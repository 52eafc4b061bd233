"""Memories made from a seed, and what the first stage finds among them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.evals import many
from memlab.evals.many import (
    TemplatesError,
    load_templates,
    make_memories,
    make_questions,
    queries_of,
    write_memories,
)
from memlab.recall.first_stage import FirstStage
from memlab.settings import Settings
from memlab.text import terms_of

TEMPLATES = load_templates()


def test_the_same_seed_makes_the_same_memories_and_no_two_are_alike() -> None:
    made = make_memories(500, TEMPLATES)
    assert made == make_memories(500, TEMPLATES)
    assert make_memories(500, TEMPLATES, 26)[0] != made[0]
    assert len({each.file for each in made}) == 500
    known = {
        (each.template.id, *(each.values[slot] for slot in each.template.identified_by))
        for each in made
    }
    assert len(known) == 500
    assert not [each for each in made if "{" in each.memory.body + each.memory.description]


def test_every_question_has_all_that_identifies_its_memory() -> None:
    by_file = {each.file: each for each in make_memories(300, TEMPLATES)}
    for question in make_questions([*by_file.values()], 100):
        made = by_file[question.file]
        for slot in made.template.identified_by:
            assert made.values[slot].lower() in question.text.lower()
            assert made.values[slot].lower() in made.memory.description.lower()


def test_queries_have_as_many_terms_as_they_should() -> None:
    questions = make_questions(make_memories(50, TEMPLATES))
    for count in (1, 3, 10):
        for query in queries_of(count, questions, 20):
            assert len(set(terms_of(query))) == count


@pytest.mark.behaviour("N6")
def test_the_first_stage_finds_what_the_cap_hides(tmp_path: Path) -> None:
    _measure(tmp_path, 400, Settings(scan_max_files=40, first_stage_candidates=40), 40)


@pytest.mark.soak
@pytest.mark.behaviour("N6")
@pytest.mark.parametrize("size", [2_000, 20_000])
def test_of_many_memories_it_finds_nearly_what_ranking_all_of_them_finds(
    tmp_path: Path, size: int
) -> None:
    _measure(tmp_path, size, Settings(), 200)


def _measure(folder: Path, size: int, settings: Settings, count: int) -> None:
    made = make_memories(size, TEMPLATES)
    write_memories(made, folder)
    notices: list[str] = []
    stage = FirstStage(folder, settings, notices.append)
    found = many.measure_recall(folder, make_questions(made, count), stage, settings)
    assert found.memories == size
    assert found.newest < 0.3
    assert found.all_files > 0.9
    assert found.first_stage >= 0.95 * found.all_files
    assert notices == []


def test_what_is_wrong_with_a_file_of_templates_is_said(tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    for text, what in (
        (None, "No such file"),
        ("slots: [", "no file of templates"),
        ("slots: {}", "'numbers'"),
        (
            "slots: {}\nnumbers: {}\ntemplates: [{id: m1, type: user, name: n, description: '{x}',"
            " body: b, identified_by: [], questions: [], slots_only: ''}]",
            "template m1 has an unknown slot 'x'",
        ),
    ):
        if text is not None:
            path.write_text(text)
        with pytest.raises(TemplatesError, match=what):
            load_templates(path)
