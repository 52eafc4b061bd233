"""The caps of the index on any text, made up by hypothesis."""

from __future__ import annotations

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memlab.memdir.index import parse_pointers, truncate_index
from memlab.settings import Settings

POINTER = st.builds(
    "- [{}]({}.md) — {}".format,
    st.text("ab ]", max_size=3),
    st.text("abcé潮", min_size=1, max_size=2),
    st.text("x é🛶", max_size=20),
)
LINE = st.one_of(
    POINTER, st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20)
)
INDEX = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\n", "\r\n"])), max_size=12).map(
    lambda lines: "".join(line + end for line, end in lines)
)


@settings(max_examples=500, deadline=None)
@given(st.one_of(INDEX, INDEX.map(str.rstrip)), st.integers(0, 13), st.integers(0, 300))
@example("- [a](a.md)\r\n- [b](b.md)", 2, 12)
@example("\U0001f6f6\n", 1, 3)
def test_never_over_a_cap_never_inside_a_character_and_the_warning_exact(
    text: str, most_lines: int, most_bytes: int
) -> None:
    limit = Settings(index_max_lines=most_lines, index_max_bytes=most_bytes)
    shown = truncate_index(text, limit)
    raw, lines = text.encode(), re.findall(r"[^\n]*\n|[^\n]+", text)
    head = "".join(lines[:most_lines])

    assert text.startswith(shown.text)  # no half character, and nothing but the top
    assert len(shown.text.encode()) <= most_bytes
    assert (
        shown.text.count("\n") + (not shown.text.endswith("\n") and shown.text != "") <= most_lines
    )
    assert (shown.lines, shown.bytes) == (len(lines), len(raw))

    over = (len(lines) > most_lines, len(head.encode()) > most_bytes)
    assert shown.fired == {(0, 0): "", (1, 0): "lines", (0, 1): "bytes", (1, 1): "both"}[over]
    if not any(over):
        assert (shown.text, shown.prompt) == (text, text)
    first = lines[0] if lines else ""
    if over[1] and len(first.encode()) <= most_bytes:
        assert shown.text == "" or shown.text.endswith("\n")
        following = lines[shown.text.count("\n")]
        assert len((shown.text + following).encode()) > most_bytes  # as much as fits

    seen = {pointer.file for pointer in parse_pointers(shown.text)}
    files = [pointer.file for pointer in parse_pointers(text)]
    assert shown.fallen == tuple(dict.fromkeys(file for file in files if file not in seen))
    assert bool(shown.warning) == any(over)
    if shown.warning:
        assert f"It has {len(lines):,} lines and {len(raw):,} bytes." in shown.warning
        assert "\n" not in shown.warning
        assert all(file in shown.warning for file in shown.fallen[:20])
