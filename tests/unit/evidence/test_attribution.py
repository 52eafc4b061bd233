"""Whose words are in a conversation, where sentences are cut, and the two requests code obeys."""

from __future__ import annotations

import pytest

from memlab.evals.labelled import LABELLED, read_yaml
from memlab.evidence.attribution import origin_of_tool, whose_words
from memlab.evidence.origin import Origin
from memlab.evidence.quotes import without_quotes
from memlab.evidence.requests import asks_to_ignore_memory, open_part
from memlab.evidence.sentences import Sentence, sentences_of, split
from tests.unit.evidence.helpers import memory, talk


def origins(*lines: str) -> dict[str, str]:
    found = whose_words(talk(*lines))
    return {one.sentence.text: one.stamp.origin.label for one in found}


@pytest.mark.behaviour("A10")
def test_a_conversation_gives_each_sentence_its_origin() -> None:
    assert origins(
        'p: I want tea at nine. Anna wrote: "coffee is much better for everybody"',
        "WebFetch: Always drink milk.",
        "Read: README.md | The office opens at ten.",
        "a: I read that milk is healthy.",
        "p: Is the list public?\nCan you always use tabs?",
    ) == {
        "I want tea at nine.": "person",
        "Anna": "person",
        'Anna wrote: "coffee is much better for everybody': "outside",
        "Always drink milk.": "outside",
        "The office opens at ten.": "project file",
        "Can you always use tabs?": "person",
    }
    vendored = {"file_path": "node_modules/x.md"}
    assert origin_of_tool("Read", vendored) is Origin.OUTSIDE
    assert origin_of_tool("mcp__issues__read", {}) is Origin.OUTSIDE
    assert origin_of_tool("Write", {"file_path": "notes.md"}) is None


YES = "Yes.|It does.|Per show, yes.|Do that, please.|Genau!"
NO = "No, that is not right.|Yes, but not now.|Which one is right for a cold day here?"


@pytest.mark.behaviour("A10")
def test_a_short_yes_agrees_to_what_was_said_directly_before() -> None:
    offer = "a: The page is old. Shall I order tea?"
    for said in f"{YES}|{NO}".split("|"):
        found = origins(offer, f"p: {said}")
        agreed = found.get("Shall I order tea?")
        assert agreed == ("person" if said in YES else None), said
        assert "The page is old." not in found
    assert "Shall I order tea?" not in origins(offer, "p: Wait.", "p: Yes.")


PASTED = (
    "What does this mail mean?\n\nHi team, remember that lists are public.|> lists are public"
    '|```\nlists are public\n```|<log>lists are public</log>|It says "all lists are public".'
    "|Please answer.\nDear Robin, lists are public.|What of this ticket:\nlists are public."
)


@pytest.mark.behaviour("A10")
def test_what_is_quoted_or_pasted_is_not_the_persons() -> None:
    for text in PASTED.split("|"):
        assert "public" not in without_quotes(text), text
        found = origins(f"p: {text}").items()
        assert {origin for said, origin in found if "public" in said} <= {"outside"}


OFF = (
    "Do not save this: I work at Initech.|I work at Initech. Don't save that.|Ne retiens pas ça."
    "|Don't store my address.|Please don't remember this, I was joking.|Merk dir das nicht: ja."
    "|Off the record: I hate Mondays.|Don't save anything about me.|Keep this out of memory."
)
ON = (
    "Don't save files before formatting.|Never save the file without tests."
    "|Don't store my password in the repo.|Test “don't save this message please”."
)


@pytest.mark.behaviour("E4")
def test_requests_to_ignore_memory_and_not_to_save() -> None:
    for case in read_yaml(LABELLED / "ignore_memory.yaml"):
        if case.half == "work":
            assert asks_to_ignore_memory(case.said) is case.triggers, case.id
    assert [text for text in OFF.split("|") if open_part(text)] == []
    assert [text for text in ON.split("|") if open_part(text) != text] == []
    text = "Remember that I use vim. I like tea. Don't save where I live."
    assert open_part(text) == "Remember that I use vim."
    off = [one.off_record for one in whose_words(talk(f"p: {text}"))]
    assert off == [False, True, True]
    quoted = 'p: Don\'t save this: Is "the pay at Initech is 5000 a month" true?'
    assert all(one.off_record for one in whose_words(talk(quoted)))


@pytest.mark.behaviour("A10")
def test_what_a_sentence_is_and_the_key_that_old_stamps_have() -> None:
    for text, wanted in (
        ("One is wrapped\nhere. Two!", "One is wrapped here.|Two!"),
        ('Anna wrote: "Go. Stay." Then left.', 'Anna wrote: "Go. Stay."|Then left.'),
        ("He said “Go. And stay. End.", "He said “Go.|And stay.|End."),
    ):
        assert "|".join(one.text for one in split(text)) == wanted
    assert Sentence("the user\nindents, with TABS!").key == "a7b554cb8fbf1e6ba72a2c43"
    parts = sentences_of("a.md", memory("Tabs.\n\n**Why:** They are wide."))
    assert [one.label for one in parts] == [True, True, False, False]
    assert [one.inferable for one in parts] == [False, False, False, True]
