"""What ``check`` says, as plain text and as HTML."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from memlab.course.messages import Verdict, links_for, refusal, show, todo

TODO = (
    "○ todo  terms is not written yet: until it passes, memlab's version is used"
    ' · hint("terms") · solution("terms")'
)
NOT_YET = Verdict("not yet", ("terms('<i>')", "expected: 1 & 2"), links_for("terms"))


def test_the_lines_of_a_message_break_between_words() -> None:
    sentence = "The harbour office answers on channel twelve after eight. " * 4
    verdict = refusal(sentence, "terms")
    lines = str(verdict).splitlines()
    assert max(map(len, lines)) < 80
    found = set(re.findall("[a-z]+", " ".join(lines).lower()))
    assert {"harbour", "channel", "answers"} <= found
    assert not found & {"harb", "our", "chan", "nel", "answ", "ers"}
    assert "white-space:pre-wrap;word-break:normal" in verdict._repr_html_()


@pytest.mark.parametrize("verdict", [todo("terms"), NOT_YET, refusal("<b> is no name", "b" * 40)])
def test_html_shows_the_same_as_plain_text_and_escapes_it(verdict: Verdict) -> None:
    text = unescape(re.sub("<[^>]*>", "", verdict._repr_html_()))
    assert " ".join(text.split()) == " ".join(str(verdict).split())


def test_a_note_follows() -> None:
    passed = Verdict("pass", ("terms (9 cases).",))
    assert str(passed.with_note("from now on, memlab calls yours")) == (
        "✓ pass  terms (9 cases). From now on, memlab calls yours."
    )


def test_a_notebook_displays_what_a_terminal_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    show(todo("terms"))
    assert capsys.readouterr().out == f"{TODO}\n"
    displayed: list[Any] = []
    monkeypatch.setattr("IPython.get_ipython", object)
    monkeypatch.setattr("IPython.display.display", displayed.append)
    show(todo("terms"))
    assert displayed == [todo("terms")]
    assert repr(displayed[0]) == TODO
    assert capsys.readouterr().out == ""
