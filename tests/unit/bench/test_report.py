from __future__ import annotations

import re

import pytest

from memlab.bench.answer import Answer
from memlab.bench.compare import CompareError
from memlab.bench.report import Report, make_report, report_text
from memlab.text import visible
from tests.unit.bench.helpers import answer, flips, run

pytestmark = pytest.mark.usefixtures("rough_figures")

MEANS = "every relevant memory is chosen, and no other."


def report(answers: list[Answer], **more: object) -> Report:
    return make_report(answers, "base", means_correct=MEANS, **more)  # type: ignore[arg-type]


def said(answers: list[Answer], **more: object) -> str:
    """The text report in one line, so that it does not matter where it is wrapped."""
    return " ".join(report_text(report(answers, **more)).split())


def test_the_report_says_who_answered_when_and_what_correct_means() -> None:
    text = said(flips(21, 9, 40))
    assert (
        "Answered by test model (mode: live), 2026-11-23 04:11 to 04:11 UTC, each case once."
        in text
    )
    assert f"Correct means: {MEANS}" in text
    replayed = said(flips(21, 9, 40), recorded="2026-11-23")
    assert "recorded 2026-11-23 (replayed), each case once." in replayed


def test_a_diff_says_what_it_is_against() -> None:
    text = said(flips(1, 1, 20), diffs={"mine": "-a\n+c\n"})
    assert "The prompts of mine against base" in text


@pytest.mark.parametrize(
    ("fixed", "regressed", "of", "sentences"),
    [
        (
            21,
            9,
            150,
            [
                "mine against base: better.",
                "changed by +8.0 points (95 % interval +1.3 to +15.3)",
                "30 cases flipped: 21 fixed, 9 regressed (p = 0.043, McNemar's exact test).",
                "If 30 of 150 cases flip, the smallest split that counts as a difference is"
                " 21 to 9, or 8.0 points.",
                "Regressed 9, fixed 21, still failing 0, still correct 120; flickering 0.",
            ],
        ),
        (9, 21, 40, ["mine against base: worse.", "changed by −30.0 points"]),
        (20, 0, 20, ["20 fixed, 0 regressed (p < 0.001, McNemar's exact test)."]),
        (
            20,
            10,
            40,
            ["no difference shown.", "does not mean that the two are equally good"],
        ),
        (5, 0, 40, ["5 flips cannot show a difference in either direction: that takes at least 6"]),
        (0, 0, 40, ["changed by 0.0 points", "No case differs, so the interval has no width"]),
        (
            6,
            0,
            19,
            [
                "no verdict.",
                "With fewer than 20 cases there is no verdict",
                "6 fixed, 0 regressed.",
            ],
        ),
    ],
)
def test_the_report_says_in_words_what_a_comparison_shows(
    fixed: int, regressed: int, of: int, sentences: list[str]
) -> None:
    text = said(flips(fixed, regressed, of))
    for sentence in sentences:
        assert sentence in text


@pytest.mark.parametrize("answers", [flips(6, 0, 19), flips(30, 0, 40, task="dream")])
def test_without_a_verdict_there_is_no_p_and_no_interval_of_the_difference(
    answers: list[Answer],
) -> None:
    text = said(answers)
    assert "p = " not in text
    assert "(95 % interval" not in text
    assert "smallest split" not in text


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["+++ ++-"] * 30, "no difference shown. .* Nevertheless, the interval does not include"),
        (["+-- ++-"] * 8 + ["+++ ++-"] * 40, "better. .* says the opposite"),
        (["+-- ++-"] * 8 + ["+++ ++-"] * 8, "better. .* The interval includes zero all the same"),
    ],
)
def test_an_interval_that_contradicts_the_word_is_explained(words: list[str], says: str) -> None:
    cases = {f"{number}": each for number, each in enumerate(words + ["+++ +++"] * 10)}
    assert re.search(says, said(run(cases)))


def test_flips_are_shown_with_both_outputs_and_their_reasons() -> None:
    answers = run({"a": "+++ +--", "b": "--- +++", "c": "--- -+-", "d": "+++ +++"})
    text = said(answers, reasons={"a": "The label's reason."})
    assert "Regressed: correct with base, wrong with mine (1) a: The label's reason." in text
    assert "wanted: the label of a base: base said this about a 3 of 3 correct · as the" in text
    assert "mine: mine said this about a 1 of 3 correct · left out b.md" in text
    assert "Fixed: wrong with base, correct with mine (1) b" in text
    assert "Still failing (1): c" in text
    assert "differ (2): a (3 of 3 correct, 1 of 3 correct), c (" in text
    assert "said this about d" not in text


def test_a_dream_shows_what_changed_though_its_correctness_did_not() -> None:
    text = said(run({"same": "+ +"}, task="dream"))
    assert "Changed otherwise (1) same" in text
    assert "Changed otherwise" not in said(run({"same": "+ +"}, task="dream", said="equal"))
    assert "Changed otherwise" not in said(run({"same": "+ +"}))


def test_the_rules_are_a_labelled_line_and_never_a_column() -> None:
    rules = run({"a": "+", "b": "-"}, "base", model="fallback rules", mode="offline")
    text = said(flips(21, 9, 40), baseline=rules)
    line = "Fixed baseline: rules (no language model, ignores the prompt): 50.0 % correct"
    assert line in text
    assert "fallback rules" not in text


def test_fallback_answers_and_cases_left_out_are_admitted() -> None:
    answers = run({"a": "+ +", "old": "- .", "b": "++ +."}, "base", "mine")
    answers.append(answer("base", "c", right=False, by="fallback", error="not JSON"))
    answers.append(answer("mine", "c"))
    text = said(answers)
    assert "the answer counts as wrong" in text
    assert "no usable answer: not JSON" in text
    assert "Left out of the comparison: 1 case only under base (old)." in text
    assert "1 answer without a partner in the other variant." in text


def test_several_comparisons_come_with_the_chance_that_one_is_wrong() -> None:
    cases = {f"{number}": "+ + +" for number in range(20)}
    assert "at least one is called better or worse is up to 10 %" in said(run(cases))
    assert "at least one" not in said(flips(0, 0, 20))


@pytest.mark.parametrize(
    ("runs", "sentence", "warned"),
    [
        (
            {"a" * 12: 1, "b" * 12: 1},
            "run once with base, once with mine, and with 2 prompt",
            False,
        ),
        ({"a" * 12: 3, "b" * 12: 1}, "3 times with base, once with mine", True),
        ({"a" * 12: 1, "b" * 12: 1, "d" * 12: 1}, "with 3 prompt versions in all", True),
    ],
)
def test_looks_at_the_final_half_are_counted(
    runs: dict[str, int], sentence: str, warned: bool
) -> None:
    text = said(flips(1, 1, 20, half="final"), final_runs=runs)
    assert sentence in text
    assert ("Each look at it" in text) is warned
    assert "final half was run" not in said(flips(1, 1, 20), final_runs=runs)


def test_a_base_alone_is_compared_with_itself_if_it_was_asked_twice() -> None:
    twice = run({f"{number}": "+-" for number in range(20)}, "base")
    assert "base (later repeats) against base (first repeats): worse." in said(twice)
    once = run({"a": "+"}, "base")
    assert report(once).comparisons == ()


def test_a_variant_that_has_no_case_yet_in_common_is_named() -> None:
    text = said(run({"a": "+ .", "b": ". +"}))
    assert "mine has no case in common with base yet" in text


def test_no_answers_are_an_error_that_says_what_to_do() -> None:
    with pytest.raises(CompareError, match="Ask the model"):
        report([])


HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202ereversed\u2066 a\rb \udc80 </pre><script>alert(1)</script>"


def hostile_report(**more: object) -> Report:
    """Every text of the answers, labels and prompts tries to get out."""
    fields = {
        "version": HOSTILE,
        "model": HOSTILE,
        "mode": HOSTILE,
        "half": HOSTILE,
        "said": f"{HOSTILE}\n" * 20,
        "wanted": HOSTILE,
        "why": HOSTILE,
        "by": "fallback",
        "error": HOSTILE,
        "metrics": {HOSTILE: 0.5},
    }
    variant, case = f"v{HOSTILE}", f"c{HOSTILE}"
    signs = {f"{case}{number}": "++ --" for number in range(20)}
    signs |= {f"{case}fixed": "-- ++", f"{case}failing": "+- +-", f"{case}only": "++ .."}
    return make_report(
        run(signs, "base", variant, **fields),
        "base",
        means_correct=HOSTILE,
        reasons=dict.fromkeys(signs, HOSTILE),
        baseline=run({case: "+"}, variant, **fields),
        diffs={variant: f"--- {HOSTILE}\n+++ b\n-{HOSTILE}\n+{HOSTILE} {'long ' * 40}\n"},
        note=HOSTILE,
    )


def test_no_text_steers_the_terminal_or_breaks_the_columns() -> None:
    text = report_text(hostile_report())
    assert visible(text.replace("\ufffd", "")) == text.replace("\ufffd", "")
    assert "\r" not in text
    text.encode("utf-8")


def test_every_line_fits_80_columns() -> None:
    many = [
        answer(f"a-variant-with-a-long-name-{number}", case, repeat=repeat)
        for number in range(6)
        for case in ("a", "b" * 200)
        for repeat in (1, 2)
    ]
    for made in (
        hostile_report(),
        report(flips(21, 9, 40)),
        make_report(many, many[0].variant, means_correct=MEANS),
    ):
        assert max(map(len, report_text(made).splitlines())) <= 80
