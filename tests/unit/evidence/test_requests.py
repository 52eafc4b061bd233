"""Requests that code obeys: to ignore memory, and not to save."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from memlab.evidence.requests import asks_to_ignore_memory, open_part

LABELLED = Path(__file__).parents[3] / "data" / "labelled" / "ignore_memory.yaml"
CASES = [one for one in yaml.safe_load(LABELLED.read_text("utf-8")) if one["half"] == "work"]


@pytest.mark.behaviour("E4")
@pytest.mark.parametrize("case", CASES, ids=[one["id"] for one in CASES])
def test_a_labelled_message(case: dict[str, object]) -> None:
    assert asks_to_ignore_memory(str(case["said"])) is case["triggers"], case["reason"]


@pytest.mark.behaviour("E4")
@pytest.mark.parametrize(
    "text",
    [
        "Do not save this: I work at Initech.",
        "I work at Initech. Don't save that.",
        "Please don't remember this, I was joking.",
        "Off the record: I hate Mondays.",
        "You don't need to remember that.",
        "Don't store my address.",
        "Don't save anything about me.",
        "Don't save what I just said.",
        "Keep this out of memory, please.",
        "This should not be saved.",
        "Merk dir das nicht: ich bin krank.",
        "Ne retiens pas ça.",
    ],
)
def test_a_message_that_is_off_the_record(text: str) -> None:
    assert open_part(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Don't save files before formatting.",
        "Never save the file without tests.",
        "I don't remember that.",
        "Don't store my password in the repo.",
        "Don't save it to disk before the check.",
        "Write a test for “don't save this message please”.",
    ],
)
def test_an_ordinary_message(text: str) -> None:
    assert open_part(text) == text


def test_what_is_to_be_saved_beside_it_is() -> None:
    text = "Remember that I use vim. I like tea. Don't save where I live."
    assert open_part(text) == "Remember that I use vim."
