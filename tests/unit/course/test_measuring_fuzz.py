"""A word of the evidence is found as a word, whatever the words are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memlab.course import contains_evidence

WORD = st.text("abcäß09_", min_size=1, max_size=6)


@given(WORD, WORD, WORD)
def test_evidence_is_found_as_a_word_and_not_inside_one(a: str, b: str, c: str) -> None:
    assert contains_evidence(f"{a} {b}\n{c}", b)
    longer = f"{a}{b}{c}"
    assert contains_evidence(longer, b) == (longer.casefold() == b.casefold())
