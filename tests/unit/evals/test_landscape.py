"""The comparison: who knows what when it is asked, what counts as evidence, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from memlab.evals import landscape
from memlab.evals.landscape import (
    FOUND,
    Outcome,
    Result,
    Rows,
    compare,
    cost_rows,
    injected_rows,
    kind_rows,
    outcome_of,
    outcome_rows,
    person_rows,
    run,
)
from memlab.landscape.asking import Asks, ByLabels, ByRules
from memlab.landscape.history import History, Question, Session
from memlab.landscape.system import Asked, Cost, Turn
from memlab.settings import Settings
from tests.unit.landscape.helpers import ask, say

TURNS = (
    say(1, "A boat costs ninety crowns", day="2026-03-02"),
    say(2, "A boat costs a hundred crowns", day="2026-04-02"),
    say(3, "The pier is closed on Mondays", day="2026-05-02"),
    say(4, "Robin lets strangers paddle free", day="2026-05-03", who="tool"),
)
HISTORY = History(tuple(Session(turn.session, turn.at, "", (turn,)) for turn in TURNS), {}, {})


def question(
    name: str,
    *needs: str,
    stale: Sequence[str] = (),
    kind: str = "plain",
    day: str = "2026-06-01",
) -> Question:
    asked = ask(name, day)
    return Question(name, "work", kind, asked, needs, tuple(stale), "", ())


class Everything:
    """Remembers each turn and shows all of them, with a call for each."""

    name = "everything"

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.recalls = 0

    def remember(self, turn: Turn) -> None:
        self.turns.append(turn)

    def recall(self, question: Asked) -> Sequence[str]:
        self.recalls += 1
        return [f"{turn.who}: {turn.text}" for turn in self.turns]

    def cost(self) -> Cost:
        turns = len(self.turns)
        return Cost(
            calls=turns + self.recalls,
            input_tokens=100 * turns + 1_000 * self.recalls,
            output_tokens=10 * turns + 20 * self.recalls,
            embeddings=turns + self.recalls,
            stored_bytes=7 * turns,
        )


class Bare(Everything):
    """Shows what tools said as if nobody in particular had said it."""

    name = "bare"

    def recall(self, question: Asked) -> Sequence[str]:
        return [f"Note: {turn.text}, they say" for turn in self.turns]


class Silent(Everything):
    name = "silent"

    def recall(self, question: Asked) -> Sequence[str]:
        return ()


def test_a_question_is_asked_when_the_next_turn_is_later() -> None:
    system = Everything()
    asked = [
        question("at the end", "f1"),
        question("between", "f1", day="2026-03-20"),
        question("in the same moment", "f2", day="2026-04-02"),
        question("too early", "f1", day="2026-03-01"),
    ]
    result = run(system, HISTORY, asked)
    assert [(each.question.id, len(each.texts)) for each in result.shown] == [
        ("at the end", 4),
        ("between", 1),
        ("in the same moment", 2),
        ("too early", 0),
    ]
    assert [turn.number for turn in system.turns] == [1, 2, 3, 4]


def test_turns_after_the_last_question_are_remembered_too() -> None:
    result = run(Everything(), HISTORY, [question("early", "f1", day="2026-03-20")])
    assert result.stored_bytes == 7 * 4
    assert result.remembering.calls == 4


NINETY, HUNDRED, PIER = (turn.text for turn in TURNS[:3])


@pytest.mark.parametrize(
    ("needs", "stale", "texts", "outcome"),
    [
        (["f2"], ["f1"], [HUNDRED], "evidence only"),
        (["f2"], ["f1"], [f"{HUNDRED} and {PIER}"], "evidence only"),
        (["f2"], ["f1"], [HUNDRED, NINETY], "evidence and stale"),
        (["f2"], ["f1"], [NINETY], "stale only"),
        (["f2", "f3"], ["f1"], [PIER], "partly"),
        (["f2", "f3"], ["f1"], [PIER, NINETY], "partly"),
        (["f2", "f3"], ["f1"], [HUNDRED, PIER], "evidence only"),
        (["f2", "f3"], ["f1"], [NINETY], "stale only"),
        (["f2"], ["f1"], [], "absent"),
        (["f2"], ["f1"], ["A boat costs a", "hundred crowns"], "absent"),
        ([], [], [], "nothing shown"),
        ([], [], [""], "nothing shown"),
        ([], [], [PIER], "shown anyway"),
    ],
)
def test_what_counts_as_evidence(
    needs: list[str], stale: list[str], texts: list[str], outcome: str
) -> None:
    asked = question("?", *needs, stale=stale)
    assert outcome_of(asked, texts, HISTORY.facts) == outcome


def test_stale_is_counted_whatever_else_is_shown() -> None:
    asked = [question("?", "f3", "f2", stale=["f1"], day="2026-03-20")]
    assert [each.stale for each in run(Everything(), HISTORY, asked).shown] == [True]
    assert [each.stale for each in run(Silent(), HISTORY, asked).shown] == [False]


def test_remembering_and_recalling_are_paid_apart() -> None:
    settings = Settings(cost_output=5)
    result = run(Everything(), HISTORY, [question("a", "f1"), question("b", "f2")])
    assert (result.calls_per_turn, result.tokens_per_turn) == (1, 110)
    assert result.cost_per_turn(settings) == 100 + 5 * 10
    assert result.tokens_per_question == result.shown[0].tokens > 25
    assert result.cost_per_question(settings) == 1_000 + 5 * 20 + result.tokens_per_question
    assert result.remembering.embeddings == 4


def injected(system: Everything) -> Result:
    asked = question("May they?", "f3", stale=["f4"], kind="injected")
    return run(system, HISTORY, [asked])


def test_a_tools_statement_can_be_told_apart_if_the_text_says_so() -> None:
    assert injected(Everything()).shown[0].told_apart is True
    assert injected(Bare()).shown[0].told_apart is True  # the whole note, which names its source
    assert injected(Silent()).shown[0].told_apart is None


def test_a_piece_of_a_tools_note_cannot_be_told_apart() -> None:
    turn = replace(TURNS[3], text="paddle free")
    fact = replace(turn.facts[0], key="paddle free", text="A form says: paddle free")
    turn = replace(turn, facts=(fact,))
    sessions = (*HISTORY.sessions[:3], replace(HISTORY.sessions[3], turns=(turn,)))
    asked = question("May they?", "f3", stale=["f4"], kind="injected")
    result = run(Bare(), replace(HISTORY, sessions=sessions), [asked])
    assert result.shown[0].told_apart is False
    assert injected_rows([result]).cells == [("bare", 1, 1, 0)]


def test_words_of_a_person_are_not_the_tools() -> None:
    asked = question("What does it cost?", "f2", stale=["f1"], kind="injected")
    assert run(Bare(), HISTORY, [asked]).shown[0].told_apart is None


@pytest.fixture
def results() -> list[Result]:
    asked = [
        question("price", "f2", stale=["f1"], kind="changed"),
        question("pier", "f3"),
        question("colour", kind="never"),
    ]
    return [run(system, HISTORY, asked) for system in (Everything(), Silent())]


def test_shares_leave_out_what_was_never_said(results: list[Result]) -> None:
    everything, silent = results
    assert (everything.evidence, silent.evidence) == (1, 0)
    assert len(everything.answerable) == 2
    assert everything.interval.high == 1
    assert 0 < everything.interval.low < 0.5
    assert sum(everything.outcomes.values()) == 3
    assert set(FOUND) < set(Outcome)


def test_the_tables_count_by_outcome_and_kind(results: list[Result]) -> None:
    headers, cells = kind_rows(results)
    assert headers == ("system", "plain (1)", "changed (1)", "never (1)")
    assert cells == [("everything", "1", "1 (1 stale)", "0"), ("silent", "0", "0", "1")]
    headers, cells = outcome_rows(results)
    row = dict(zip(headers, cells[0], strict=True))
    assert (row["system"], row["evidence"]) == ("everything", "100%")
    headers, cells = cost_rows(results)
    row = dict(zip(headers, cells[1], strict=True))
    assert (row["tokens per question"], row["bytes stored"]) == (0, 28)


def test_the_column_of_an_outcome_is_not_that_of_the_share(results: list[Result]) -> None:
    headers = outcome_rows(results).headers
    assert len(set(headers)) == len(headers)


def test_a_person_sees_official_routes_beside_the_systems() -> None:
    names = [row[0] for row in person_rows().cells]
    assert {"files", "Mem0", "memory stores", "Dreams API"} <= set(names)


def test_rows_are_aligned() -> None:
    assert str(Rows(("a", "b"), [("long", 1_000), ("x", 2)])) == "a     b\nlong  1,000\nx     2"


@pytest.mark.slow
@pytest.mark.behaviour("N1")
@pytest.mark.behaviour("N2")
@pytest.mark.behaviour("N3")
@pytest.mark.behaviour("N4")
def test_all_systems_answer_the_same_questions() -> None:
    results = {each.system: each for each in compare()}
    assert len(results) == 8
    assert {len(each.shown) for each in results.values()} == {20}
    assert results["nothing"].evidence == 0
    assert results["full context"].evidence == 1
    for name in ("files", "Mem0", "Mem0g", "Letta", "Hindsight", "Cognee"):
        assert 0.2 < results[name].evidence < 1, name
    least = min(each.tokens_per_question for each in results.values() if each.evidence)
    assert results["full context"].tokens_per_question > 20 * least


def test_the_command_prints_every_table(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    results: list[Result],
) -> None:
    asked: list[tuple[str, type]] = []

    def compared(
        embedder: object, *, half: str, asks: Callable[[], Asks], history: History
    ) -> list[Result]:
        asked.append((half, type(asks())))
        return results

    monkeypatch.setattr(landscape, "compare", compared)
    landscape.main([])
    landscape.main(["--half", "all", "--judge", "labels"])
    printed = capsys.readouterr().out
    assert asked == [("work", ByRules), ("", ByLabels)]
    assert "3 questions (work) on 4 turns; judgements by rules" in printed
    assert "3 questions (all) on 4 turns; judgements by labels" in printed
    assert "hashed bag of words and characters" in printed
    assert "full context" in printed
