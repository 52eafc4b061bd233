"""Any text is ranked by shared terms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memlab.recall.keyword import keyword_rank
from memlab.text import terms_of
from tests.unit.recall.helpers import header, names


@given(st.text(max_size=60), st.lists(st.text(max_size=40), max_size=6), st.integers(0, 5))
def test_any_text_is_ranked_without_repeats_and_only_by_shared_terms(
    query: str, lines: list[str], limit: int
) -> None:
    headers = [header(f"{number}-x.md", line) for number, line in enumerate(lines)]
    ranked = keyword_rank(query, headers, limit)
    assert len({*names(ranked)}) == len(ranked) <= limit
    asked = {*terms_of(query)}
    assert all(asked & {*terms_of(f"{each.description} {each.filename[:-3]}")} for each in ranked)
