"""The index of the first stage under real processes: writers that are killed at any moment, and
readers beside them.
"""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from memlab.evals.many import load_templates, make_memories, make_questions, write_memories
from memlab.recall.first_stage import FirstStage, Proposed
from memlab.settings import Settings
from tests.platforms import needs_posix

pytestmark = [pytest.mark.soak, needs_posix, pytest.mark.behaviour("N6")]

SIZE = 2_000
QUESTIONS = 10
KILLS = 40


def _answers(folder: Path, questions: list[str]) -> list[list[str]]:
    notices: list[str] = []
    stage = FirstStage(folder, Settings(), notices.append, wait=30)
    found = [stage.propose(question) for question in questions]
    assert notices == []
    assert all(isinstance(one, Proposed) for one in found)
    return [[header.filename for header in one.scan] for one in found if one]


def _child(work: Callable[[], object], killed_after: float = 0.0) -> int:
    """Let a process work; the kernel ends it after so many seconds, wherever it is."""
    child = os.fork()
    if child:
        return child
    try:
        signal.setitimer(signal.ITIMER_REAL, killed_after)
        work()
        os._exit(0)
    finally:
        os._exit(1)


def _ended(children: Iterable[int]) -> list[int]:
    """Wait for processes, and give how each ended; a signal is negative."""
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]


def test_writers_that_are_killed_and_readers_beside_them(tmp_path: Path) -> None:
    made = make_memories(SIZE, load_templates())
    write_memories(made, tmp_path)
    questions = [question.text for question in make_questions(made, QUESTIONS)]
    wanted = _answers(tmp_path, questions)
    stage = FirstStage(tmp_path, Settings(), wait=30)
    chance = random.Random(25)

    def build() -> None:
        FirstStage(tmp_path, Settings(), wait=30).check()

    ends: list[int] = []
    for _ in range(KILLS):
        lost = [(one.file,) for one in chance.sample(made, SIZE // 2)]
        with stage.open() as index:
            index.executemany("DELETE FROM memory WHERE file = ?", lost)
        ends += _ended([_child(build, chance.uniform(0.001, 0.2)) for _ in range(2)])
        assert _answers(tmp_path, questions) == wanted
    assert set(ends) <= {0, -signal.SIGALRM}
    assert ends.count(-signal.SIGALRM) > KILLS


def test_two_builders_and_two_readers_at_once(tmp_path: Path) -> None:
    made = make_memories(SIZE, load_templates())
    write_memories(made, tmp_path)
    questions = [question.text for question in make_questions(made, QUESTIONS)]

    def ask() -> None:
        wanted = _answers(tmp_path, questions)
        assert [len(found) for found in wanted] == [200] * QUESTIONS

    children = [_child(ask) for _ in range(4)]
    assert _ended(children) == [0, 0, 0, 0]
    with FirstStage(tmp_path, Settings()).open() as index:
        assert index.execute("SELECT count(*) FROM memory").fetchone() == (SIZE,)
