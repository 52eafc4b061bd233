"""How two values are compared for a learner: what is marked, and what is said about it."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from memlab.course.messages import (
    Verdict,
    all_passed,
    compared,
    observe,
    refusal,
    show,
    todo,
    value_lines,
    wrong_value,
)


def verdict_on(returned: Any, expected: Any) -> Verdict:
    rows = compared(returned, expected)
    return wrong_value("terms", ["terms('…')"], rows, observe(returned, expected))


@pytest.mark.parametrize(
    ("returned", "expected", "sentence"),
    [
        (None, [1], "None means that some path through the function has no return"),
        ((1,), [1], "the result is a tuple, but a list is expected"),
        (1.0, 1, "the result is a float, but an int is expected"),
        (True, False, ""),
        (4, 3, "it is one too many"),
        (2, 3, "it is one too few"),
        (7, 3, ""),
        ("a  b", "a b", "only white space differs"),
        ("a\n", "a", "only white space differs"),
        ("Tabs", "tabs", "only upper and lower case differ"),
        ("ab", "abc", "the end is missing: 'c'"),
        ("bc", "abc", "the beginning is missing: 'a'"),
        ("run?", "run", "'?' is left over at the end"),
        ("- run", "run", "'- ' is left over at the beginning"),
        ("x", "y", ""),
        ("", "y", ""),
        ([2, 1], [1, 2], "the items are right, but their order is not"),
        ([1], [1, 2], "2 is missing"),
        ([], [1, 2, 3, 4, 5], "1, 2, 3 and 2 more are missing"),
        ([1, 2, 3], [1], "2 and 3 are not expected"),
        ([1, 1], [1], "1 is there more often than expected"),
        ([], ["tide " * 20] * 2, "an item is missing"),
        (["tests", "run?"], ["tests", "run"], "item 2 differs: '?' is left over at the end"),
        ([(0, 1), (3, 1)], [(0, 1), (3, 4)], "item 2 differs"),
        ([1, 2], [3, 4], ""),
        ({"a": 1}, {"a": 1, "b": 2}, "the key 'b' is missing"),
        ({"a": 1, "b": 2}, {}, "the keys 'a' and 'b' are not expected"),
        ({"a": "x"}, {"a": "xy"}, "only the value of 'a' differs: the end is missing: 'y'"),
        ({"a": 1, "b": 2}, {"a": 3, "b": 4}, ""),
    ],
)
def test_an_observation_is_about_the_difference(
    returned: Any, expected: Any, sentence: str
) -> None:
    assert observe(returned, expected) == sentence


def test_what_differs_is_marked_by_a_sign_and_by_a_colour() -> None:
    verdict = verdict_on(["tests", "run?"], ["tests", "run"])
    assert (
        str(verdict)
        == """\
✗ not yet  terms('…')
             you returned  ['tests', 'run?']
                                         ^
             expected      ['tests', 'run']
             Item 2 differs: '?' is left over at the end.
             hint("terms") · solution("terms")"""
    )
    html = verdict._repr_html_()
    assert re.findall("<del style=.*?underline.*?>(.*?)</del>", html) == ["?"]
    assert "✗ not yet</span> terms(" in html


def test_of_long_values_the_lines_that_differ_are_marked() -> None:
    expected = [{"name": f"boat number {number}", "crew": 4} for number in range(30)]
    returned = [*expected[:20], {"name": "boat number 20", "crew": 5}, *expected[21:]]
    text = str(verdict_on(returned, expected))
    assert "… 16 equal lines\n" in text
    assert " -  {'name': 'boat number 20', 'crew': 5}," in text
    assert " +  {'name': 'boat number 20', 'crew': 4}," in text
    assert text.count("- ") == 1


def test_the_order_of_keys_is_no_difference() -> None:
    text = str(verdict_on({"b": 1, "a": 2}, {"a": 3, "b": 1}))
    assert "you returned  {'a': 2, 'b': 1}" in text


def test_the_lines_of_a_message_break_between_words() -> None:
    sentence = "The harbour office answers on channel twelve after eight. " * 4
    for verdict in (refusal(sentence, "terms"), verdict_on(sentence, sentence + "Always.")):
        lines = str(verdict).splitlines()
        assert max(map(len, lines)) < 80
        found = set(re.findall("[a-z]+", " ".join(lines).lower()))
        assert {"harbour", "channel", "answers"} <= found
        assert not found & {"harb", "our", "chan", "nel", "answ", "ers"}
    html = refusal(sentence)._repr_html_()
    assert "white-space:pre-wrap;word-break:normal" in html


def test_html_shows_the_same_as_plain_text_and_escapes_it() -> None:
    for verdict in (
        todo("terms"),
        all_passed("terms", 9, "<b>printed</b>\n"),
        verdict_on("<i>a</i>", "<i>b</i>"),
    ):
        text = unescape(re.sub("<[^>]*>", "", verdict._repr_html_()))
        plain = [line for line in str(verdict).splitlines() if not re.fullmatch(r"[ ^]*", line)]
        assert " ".join(text.split()) == " ".join(" ".join(plain).split())


def test_functions_and_addresses_are_not_shown() -> None:
    def read(path: str) -> str:
        return path

    assert "0x" not in "".join(value_lines({"Read": read, "thing": object()}))


def test_a_note_follows_and_a_part_that_cannot_be_saved_is_no_pass() -> None:
    passed = all_passed("terms", 9)
    assert str(passed.with_note("from now on, recall in this notebook uses your terms")) == (
        "✓ pass  terms (9 cases). From now on, recall in this notebook uses your terms."
    )
    refused = passed.refused("WORDS is defined in no cell")
    assert not refused.passed
    assert str(refused) == (
        "✗ not yet  terms (9 cases) is right, but it does not count yet.\n"
        "             WORDS is defined in no cell."
    )


def test_a_notebook_displays_what_a_terminal_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    show(todo("terms"))
    line = '○ todo  terms is not written yet · hint("terms") · solution("terms")'
    assert capsys.readouterr().out == f"{line}\n"
    displayed: list[Any] = []
    monkeypatch.setattr("IPython.get_ipython", object)
    monkeypatch.setattr("IPython.display.display", displayed.append)
    show(todo("terms"))
    assert displayed == [todo("terms")]
    assert repr(displayed[0]) == line
    assert capsys.readouterr().out == ""
