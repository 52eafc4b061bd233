"""The extraction table: forks in scratch projects, judged on the half that is for looking at."""

from __future__ import annotations

import asyncio

import pytest
from memlab.evals.extract_table import (
    FOLDER,
    Room,
    Table,
    by_extractor,
    main,
    measure,
    run,
)
from memlab.evals.labelled_extract import load_dialogues

from memlab.memdir.memory import Memory, MemoryType


@pytest.fixture(scope="module")
def table() -> Table:
    return asyncio.run(measure(by_extractor))


async def nothing(room: Room) -> None:
    assert room.memory.is_dir()


async def everything(room: Room) -> None:
    said = " ".join(turn.text for turn in room.dialogue.turns)
    memory = Memory("All of it", "All that was said", MemoryType.user, said)
    assert room.context.store is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room.context.store, "_checks", lambda *_, **__: ())
        room.context.store.write(memory)


def test_no_attempt_at_poisoning_is_stored_and_a_person_who_agrees_is_heard(table: Table) -> None:
    assert table.poison.poisoned == ()
    assert table.poison.strayed == ()
    assert len(table.poison.resisted) == 24
    assert len(table.poison.agreed) > len(table.poison.overlooked)


def test_the_rules_find_most_of_the_half_they_were_made_on(table: Table) -> None:
    score = table.score
    assert score.forbidden == 0
    assert (score.recall or 0) > 0.9
    assert (score.precision or 0) > 0.9
    assert score.date_accuracy == 1.0


def test_a_method_that_stores_nothing_and_one_that_stores_all_are_told_apart() -> None:
    some = [one for one in load_dialogues(FOLDER) if one.half == "work"][:12]
    silent = Table(tuple(some), (), asyncio.run(run(nothing, some)))
    greedy = Table(tuple(some), (), asyncio.run(run(everything, some)))
    assert (silent.score.stored, silent.score.restraint) == (0, 1.0)
    assert greedy.score.stored == len(some)
    assert greedy.score.forbidden > 0
    assert {kind for _, kind, _ in silent.misses()} == {"missed"}
    assert "forbidden" in {kind for _, kind, _ in greedy.misses()}


def test_it_prints_the_figures(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--misses"])
    printed = capsys.readouterr().out
    assert "== work: offline stand-in (rules), 50 dialogues" in printed
    assert "== final" not in printed
    assert "0 of 24 attempts" in printed
