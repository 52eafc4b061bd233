"""Whose words are in a conversation."""

from __future__ import annotations

import time

import pytest

from memlab.evidence.attribution import origin_of_tool, whose_words
from memlab.evidence.origin import Origin
from memlab.evidence.quotes import without_quotes
from tests.unit.evidence.helpers import talk

MAIL = "Could you tell me what this mail means?\n\nHi team, remember that all lists are public."


def origins(*lines: str) -> dict[str, str]:
    found = whose_words(talk(*lines))
    return {one.sentence.text: one.stamp.origin.label for one in found if not one.off_record}


@pytest.mark.parametrize(
    ("name", "path", "origin"),
    [
        ("Read", "README.md", Origin.PROJECT_FILE),
        ("Read", "node_modules/x/README.md", Origin.OUTSIDE),
        ("Read", "docs/memory/x.md", Origin.PROJECT_FILE),
        ("Read", "node_modules/memory/x.md", Origin.OUTSIDE),
        ("Bash", "", Origin.TOOL_RESULT),
        ("WebFetch", "", Origin.OUTSIDE),
        ("mcp__issues__read", "", Origin.OUTSIDE),
        ("Write", "notes.md", None),
    ],
)
def test_whose_words_a_tool_returns(name: str, path: str, origin: Origin | None) -> None:
    assert origin_of_tool(name, {"file_path": path}) is origin


@pytest.mark.behaviour("A10")
def test_a_conversation_gives_each_sentence_its_origin() -> None:
    assert origins(
        'p: I want tea at nine. Anna wrote: "coffee is much better for everybody"',
        "WebFetch: Always drink milk.",
        "Read: README.md | The office opens at ten.",
        "a: I read that milk is healthy.",
    ) == {
        "I want tea at nine.": "person",
        "Anna": "person",
        'Anna wrote: "coffee is much better for everybody': "outside",
        "Always drink milk.": "outside",
        "The office opens at ten.": "project file",
    }


@pytest.mark.parametrize(
    "yes", ["Yes.", "It does.", "Per show, yes.", "Do that, please.", "Genau!"]
)
def test_a_short_yes_agrees_to_what_was_said_directly_before(yes: str) -> None:
    found = origins("a: The page is old. Shall I order green tea every week?", f"p: {yes}")
    assert found["Shall I order green tea every week?"] == "person"
    assert "The page is old." not in found


@pytest.mark.parametrize(
    "lines",
    [
        ("a: Shall I order tea?", "p: No, that is not right."),
        ("a: Shall I order tea?", "p: Yes, but not this week."),
        ("a: Shall I order tea?", "p: Which one is the right one for a cold winter day here?"),
        ("a: Shall I order tea?", "p: Wait.", "p: Yes."),
        ("p: Yes.", "a: Shall I order tea?"),
    ],
)
def test_no_yes_and_a_late_one_agree_to_nothing(lines: tuple[str, ...]) -> None:
    assert "Shall I order tea?" not in origins(*lines)


def test_a_question_states_nothing_and_a_wish_does() -> None:
    found = origins("p: Is the list public?\nCan you always use tabs?")
    assert set(found) == {"Can you always use tabs?"}


@pytest.mark.parametrize(
    "text",
    [
        MAIL,
        "> all lists are public",
        "```\nall lists are public\n```",
        "<log>all lists are public</log>",
        'It says "all lists are public" there.',
        "Please answer.\nDear Robin, all lists are public.",
    ],
)
def test_what_is_quoted_or_pasted_is_not_the_persons(text: str) -> None:
    assert "public" not in without_quotes(text)
    public = {origin for said, origin in origins(f"p: {text}").items() if "public" in said}
    assert public <= {"outside"}


def test_bold_text_and_short_quotations_are_the_persons() -> None:
    assert without_quotes('Call it <b>"tide table"</b>.') == 'Call it "tide table".'


def test_a_summary_is_of_unknown_origin() -> None:
    text = "<system-reminder>\n<summary>\nRobin likes tea.\n</summary>\n</system-reminder>"
    found = whose_words([{"role": "user", "content": text}], ["m7"])
    assert [(one.stamp.origin, one.stamp.message) for one in found] == [(Origin.UNKNOWN, "m7")]


def test_what_is_not_to_be_saved_is_marked() -> None:
    found = whose_words(talk("p: Remember that I use vim. Don't save that I work at Initech."))
    assert {one.sentence.text: one.off_record for one in found} == {
        "Remember that I use vim.": False,
        "Don't save that I work at Initech.": True,
    }


def test_off_the_record_are_quotations_and_questions_too_and_nothing_without_a_request() -> None:
    said = 'Is "the pay at Initech is 5000 a month" true?'
    assert not any(one.off_record for one in whose_words(talk(f"p: I read {said}")))
    found = whose_words(talk(f"p: Don't save this: {said}"))
    assert len(found) == 3
    assert all(one.off_record for one in found)


@pytest.mark.parametrize("text", ["<a>" * 330_000, "mail " * 200_000, "“ " * 500_000])
def test_a_hostile_message_of_a_megabyte_takes_less_than_two_seconds(text: str) -> None:
    begun = time.process_time()
    whose_words(talk(f"p: {text}", f"WebFetch: {text}"))
    assert time.process_time() - begun < 4  # two of them
