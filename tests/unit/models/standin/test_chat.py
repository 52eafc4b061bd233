"""What a person in a chat tries first, and what they get for everything else."""

from __future__ import annotations

import pytest

from memlab.models.standin.chat import (
    GREETING,
    MEMORY_OFF,
    NO_SECRETS,
    NOT_SAVED,
    NOTHING,
    NOTHING_RECALLED,
    SAVES,
    TRY,
)
from tests.unit.models.standin.helpers import StandinSetup


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (("Hi!",), GREETING),
        (("good morning",), GREETING),
        (("Hello there.",), GREETING),
        (("Hello world is the usual first program.",), TRY),
        (("Explain quicksort.",), TRY),
        (("Explain quicksort.", "And mergesort?"), NOTHING_RECALLED),
        (("Explain quicksort.", "And now mergesort."), NOTHING),
        (("I always put the tests first.",), SAVES),
        (("I never commit on Fridays.",), SAVES),
        (("I always get an error here.",), TRY),
        (("Explain quicksort.", "I prefer tabs."), SAVES),
        (("My name is Kim. I am a data scientist",), SAVES),
        (("My key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",), NO_SECRETS),
        (("Remember the wifi password: bluewhale.",), NOT_SAVED),
        (("Remember the sun.", "The token is in the password manager."), NOTHING),
    ],
)
def test_the_reply_in_a_chat(said: tuple[str, ...], answer: str) -> None:
    assert StandinSetup(chat=True).say(*said) == answer


def test_with_memory_off_nothing_is_promised() -> None:
    assert StandinSetup(chat=True).say("I prefer tabs.", off=True) == MEMORY_OFF


def test_only_a_chat_greets() -> None:
    assert "Not a language model" in StandinSetup().say("Hello.")
