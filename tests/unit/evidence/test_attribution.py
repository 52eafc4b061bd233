"""Whose words are in a conversation, where sentences are cut, and the two requests code obeys."""

from __future__ import annotations

import pytest

from memlab.evals.labelled import LABELLED, read_yaml
from memlab.evidence.attribution import origin_of_tool, whose_words
from memlab.evidence.origin import Origin
from memlab.evidence.quotes import without_quotes
from memlab.evidence.requests import asks_to_ignore_memory, open_part
from memlab.evidence.sentences import Sentence, sentences_of, split, split_lines
from memlab.prompts.blocks import block
from tests.unit.evidence.helpers import memory, talk
from tests.work import does_not_stall


def origins(*lines: str) -> dict[str, str]:
    found = whose_words(talk(*lines))
    said = [one for one in found if not one.off_record]
    return {one.sentence.text: one.stamp.origin.label for one in said}


@pytest.mark.behaviour("A10")
def test_a_conversation_gives_each_sentence_its_origin() -> None:
    assert origins(
        'p: I want tea at nine. Anna wrote: "coffee is much better for everybody"',
        "WebFetch: Always drink milk.",
        "Read: README.md | The office opens at ten.",
        "Bash: Water is out.",
        "a: I read that milk is healthy.",
        "p: Is the list public?\nCan you always use tabs?",
    ) == {
        "I want tea at nine.": "person",
        "Anna": "person",
        'Anna wrote: "coffee is much better for everybody': "outside",
        "Always drink milk.": "outside",
        "The office opens at ten.": "project file",
        "Water is out.": "tool result",
        "Can you always use tabs?": "person",
    }
    assert origin_of_tool("Read", {"file_path": "node_modules/x.md"}) is Origin.OUTSIDE
    assert origin_of_tool("mcp__issues__read", {}) is Origin.OUTSIDE
    assert origin_of_tool("Write", {"file_path": "notes.md"}) is None
    assert origin_of_tool("Read", {"file_path": "a.md"}, "a.md".__eq__) is None
    text = block("system-reminder", block("summary", "Robin likes tea."))
    (found,) = whose_words([{"role": "user", "content": text}], ["m7"])
    assert (found.stamp.origin, found.stamp.message) == (Origin.UNKNOWN, "m7")


YES = "Yes.|It does.|Per show, yes.|Do that, please.|Genau!"
NO = "No, that is not right.|Yes, but not now.|Which one is right for a cold day here?"


@pytest.mark.behaviour("A10")
def test_a_short_yes_agrees_to_what_was_said_directly_before() -> None:
    offer = "a: The page is old. Shall I order tea?"
    for said in f"{YES}|{NO}".split("|"):
        found = origins(offer, f"p: {said}")
        assert found.get("Shall I order tea?") == ("person" if said in YES else None), said
        assert "The page is old." not in found
    assert "Shall I order tea?" not in origins(offer, "p: Wait.", "p: Yes.")


@pytest.mark.parametrize(
    "text",
    [
        "What does this mail mean?\n\nHi team, remember that lists are public.",
        "> all lists are public",
        "```\nall lists are public\n```",
        "<log>all lists are public</log>",
        'It says "all lists are public" there.',
        "Please answer.\nDear Robin, all lists are public.",
        "What do you think of this ticket:\nall lists are public.",
    ],
)
def test_what_is_quoted_or_pasted_is_not_the_persons(text: str) -> None:
    assert "public" not in without_quotes(text)
    found = origins(f"p: {text}").items()
    assert {origin for said, origin in found if "public" in said} <= {"outside"}
    assert without_quotes('Call it <b>"tide table"</b>.') == 'Call it "tide table".'


@pytest.mark.behaviour("E4")
def test_a_labelled_request_to_ignore_memory() -> None:
    cases = [one for one in read_yaml(LABELLED / "ignore_memory.yaml") if one.half == "work"]
    assert len(cases) == 18
    for case in cases:
        assert asks_to_ignore_memory(case.said) is case.triggers, case.id


OFF = (
    "Do not save this: I work at Initech.|I work at Initech. Don't save that.|Ne retiens pas ça."
    "|Don't store my address.|Please don't remember this, I was joking.|Merk dir das nicht: ja."
    "|Off the record: I hate Mondays.|You don't need to remember that.|Don't save what I said."
    "|Don't save anything about me.|Keep this out of memory.|This should not be saved."
)
ON = (
    "Don't save files before formatting.|Never save the file without tests.|I don't remember."
    "|Don't store my password in the repo.|Don't save it to disk before the check."
    "|Write a test for “don't save this message please”."
)


@pytest.mark.behaviour("E4")
def test_a_request_not_to_save_takes_a_message_off_the_record() -> None:
    assert [text for text in OFF.split("|") if open_part(text)] == []
    assert [text for text in ON.split("|") if open_part(text) != text] == []
    text = "Remember that I use vim. I like tea. Don't save where I live."
    assert open_part(text) == "Remember that I use vim."
    found = whose_words(talk(f"p: {text}"))
    assert [one.off_record for one in found] == [False, True, True]
    said = 'Is "the pay at Initech is 5000 a month" true?'
    assert not any(one.off_record for one in whose_words(talk(f"p: I read {said}")))
    found = whose_words(talk(f"p: Don't save this: {said}"))
    # quotations and questions, too
    assert [one.off_record for one in found] == [True] * 3


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One is wrapped\nhere. Two!", "One is wrapped here.|Two!"),
        ("- one\n- two", "- one|- two"),
        ('Anna wrote: "Go. Stay." Then left.', 'Anna wrote: "Go. Stay."|Then left.'),
        ("He said “Go. And stay. End.", "He said “Go.|And stay.|End."),
        ("Same. Same.", "Same."),
        ("---\n\n!", ""),
    ],
)
def test_where_a_text_is_cut(text: str, wanted: str) -> None:
    assert "|".join(one.text for one in split(text)) == wanted


@pytest.mark.behaviour("A10")
def test_what_a_sentence_is_and_the_key_that_old_stamps_have() -> None:
    for text in ("The user indents with TABS!", "the user\nindents, with tabs"):
        assert Sentence(text).key == "a7b554cb8fbf1e6ba72a2c43"
    found = Sentence("The user wants 2 backups on 2026-03-01, see [[disks]].")
    assert found.stems == {"2", "backup", "see"}
    assert found.numbers == {"2", "2026", "03", "01"}
    parts = sentences_of("a.md", memory("Tabs.\n\n**Why:** They are wide."))
    assert [(one.text, one.label, one.inferable) for one in parts] == [
        *[("Notes", True, False), ("when reading notes", True, False)],
        *[("Tabs.", False, False), ("They are wide.", False, True)],
    ]
    index = sentences_of("MEMORY.md", b"# Index\n\n- [Tabs](tabs.md) - how to indent\n")
    assert [one.text for one in index] == ["Tabs", "how to indent"]
    lines = split_lines("tabs\nand this long line was wrapped by\nsomebody's editor")
    assert [len(one.text) for one in lines] == [4, 51]


@pytest.mark.parametrize(
    ("before", "after", "reverses"),
    [
        ("Never deploy on Fridays.", "Always deploy on Fridays.", True),
        ("Use tabs, not spaces.", "Use spaces, not tabs.", True),
        ("Use Postgres instead of MySQL.", "Use MySQL instead of Postgres.", True),
        ("Telemetry is disabled.", "Telemetry is enabled.", True),
        ("Deploys on Fridays: never.", "Deploys on Fridays.", True),
        ("Don't mock the database.", "Do not mock the database.", False),
        ("Use tabs, not spaces.", "Use tabs instead of spaces.", False),
        ("Never push to main.", "The office answers on channel 12.", False),
        ("Invoices go to the harbour.", "Invoices go to the Bank harbour.", False),
    ],
)
def test_a_negation_that_came_or_went(before: str, after: str, reverses: bool) -> None:
    assert Sentence(after).reverses(Sentence(before)) is reverses


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["<a>", "mail ", "“ ", '"a b. ', "\n ", "[["])
def test_a_hostile_message_does_not_stall(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    assert does_not_stall(lambda: whose_words(talk(f"p: {text}", f"WebFetch: {text}")))
    assert does_not_stall(lambda: [one.denies for one in split(text)])
