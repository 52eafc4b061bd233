"""Evidence is found in any text that has its words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memlab.course import stands_in

WORD = st.text("abcäß09_", min_size=1, max_size=6)


@given(WORD, WORD, WORD)
def test_a_word_stands_between_blanks_and_not_inside_a_longer_one(a: str, b: str, c: str) -> None:
    assert stands_in(f"{a} {b}\n{c}", b)
    longer = f"{a}{b}{c}"
    assert stands_in(longer, b) == (longer.casefold() == b.casefold())
