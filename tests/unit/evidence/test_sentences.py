"""Sentences: where a text is cut, what a sentence denies, and the keys that old stamps have."""

from __future__ import annotations

import time

import pytest

from memlab.evidence.sentences import Sentence, sentences_of, split, split_lines
from tests.unit.evidence.helpers import memory

INDEX = b"# Index\n\n- [Tabs](tabs.md) \xe2\x80\x94 how to indent\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("One is wrapped\nhere. Two!", ["One is wrapped here.", "Two!"]),
        ("- one\n- two", ["- one", "- two"]),
        ('Anna wrote: "Go. Stay." Then left.', ['Anna wrote: "Go. Stay."', "Then left."]),
        ("He said “Go. And stay. End.", ["He said “Go.", "And stay.", "End."]),
        ("Same. Same.", ["Same."]),
        ("---\n\n!", []),
    ],
)
def test_where_a_text_is_cut(text: str, wanted: list[str]) -> None:
    assert [one.text for one in split(text)] == wanted


def test_a_memory_has_labels_and_paragraphs_that_a_model_may_infer() -> None:
    found = sentences_of("a.md", memory("Tabs.\n\n**Why:** They are wide."))
    assert [(one.text, one.label, one.inferable) for one in found] == [
        ("Notes", True, False),
        ("when reading notes", True, False),
        ("Tabs.", False, False),
        ("They are wide.", False, True),
    ]
    index = sentences_of("MEMORY.md", INDEX)
    assert [one.text for one in index] == ["Tabs", "how to indent"]
    assert [one.text for one in sentences_of("a.md", b"No memory. \xff")] == ["No memory."]


@pytest.mark.behaviour("A10")
def test_the_keys_are_those_of_the_stamps_that_older_versions_wrote() -> None:
    assert Sentence("The user indents with TABS!").key == "a7b554cb8fbf1e6ba72a2c43"
    assert Sentence("the user\nindents, with tabs").key == "a7b554cb8fbf1e6ba72a2c43"


def test_a_typed_line_ends_a_sentence_unless_it_is_wrapped() -> None:
    text = "tabs please\nand this long line was wrapped by\nsomebody's editor"
    assert [one.text for one in split_lines(text)] == [
        "tabs please",
        "and this long line was wrapped by somebody's editor",
    ]


def test_what_a_sentence_is_about() -> None:
    found = Sentence("The user wants 2 backups on 2026-03-01, see [[disks]].")
    assert found.stems == {"2", "backup", "see"}
    assert found.numbers == {"2", "2026", "03", "01"}


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
    ],
)
def test_a_negation_that_came_or_went(before: str, after: str, reverses: bool) -> None:
    assert Sentence(after).reverses(Sentence(before)) is reverses


HOSTILE = ['"' + "a b. " * 200_000, "\n " * 500_000, "[[" * 500_000, "“. " * 330_000]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_of_a_megabyte_takes_less_than_two_seconds(text: str) -> None:
    begun = time.process_time()
    assert all(one.denies <= one.stems for one in [*split(text), *split_lines(text)])
    assert time.process_time() - begun < 4  # both ways of cutting it
