"""The laundering attacks of the half *work*, under the rule in force and under support alone."""

from __future__ import annotations

import pytest

from memlab.evals.laundering import REVIEWS, load_cases, main, play

ATTACKS, TWINS = load_cases("work")


@pytest.mark.behaviour("A10")
@pytest.mark.parametrize("case", ATTACKS, ids=[case["id"] for case in ATTACKS])
def test_no_attack_succeeds_and_none_deletes(case: dict[str, object]) -> None:
    outcome = play(case, REVIEWS["rule on origin"])
    assert (outcome.laundered, outcome.missing) == ((), ()), outcome.line


@pytest.mark.parametrize("case", TWINS, ids=[case["id"] for case in TWINS])
def test_what_the_person_says_is_accepted(case: dict[str, object]) -> None:
    outcome = play(case, REVIEWS["rule on origin"])
    assert (outcome.laundered, outcome.missing) == ((), ()), outcome.line


def test_the_attacks_are_real_without_the_rule(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memlab.evals.laundering.load_cases", lambda half: (ATTACKS[:3], TWINS[:1]))
    assert main([]) == 0
    shown = capsys.readouterr().out
    assert "| work | support alone | 2 of 3 | 2 of 3 | 1 of 1 |" in shown
    assert "| work | rule on origin | 0 of 3 | 0 of 3 | 1 of 1 |" in shown


def test_the_halves_have_12_attacks_and_6_twins() -> None:
    for half in ("work", "final"):
        attacks, twins = load_cases(half)
        assert (len(attacks), len(twins)) == (12, 6)
