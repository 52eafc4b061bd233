from __future__ import annotations

import pytest
from memlab.evals.words import content_words, little_words, shared_words


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("boat", "the Boats"),
        ("late", "later"),
        ("corrected", "a correction"),
        ("M1 is down", "service of m1"),
        ("at 16:30", "after 16:30"),
    ],
)
def test_words_that_are_one_but_for_their_ending(text: str, other: str) -> None:
    assert shared_words(text, other)


def test_words_that_begin_alike_and_are_others() -> None:
    assert not shared_words("decided", "the decision")
    assert not shared_words("pri", "printed")
    assert not shared_words("20", "in 2026")


def test_little_words_are_no_content() -> None:
    text = "who is out on it, and what has to be first?"
    assert not content_words(text)
    assert little_words(text) >= {"who", "is", "out", "first"}
    assert content_words(text + " the boats") == {"boats"}
