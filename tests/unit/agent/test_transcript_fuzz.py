"""Transcripts, for any lines and any messages: read from the end, resumed whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memlab.agent.resume import (
    BLOCK_BYTES,
    lines_from_end,
    load_transcript,
)
from tests.unit.agent.helpers import blocks
from tests.unit.agent.test_transcript import record, valid


@given(
    pieces=st.lists(st.binary(max_size=40).filter(lambda raw: b"\n" not in raw), max_size=20),
    end=st.sampled_from([b"", b"\n"]),
    pad=st.sampled_from([0, BLOCK_BYTES - 20, 2 * BLOCK_BYTES]),
)
def test_lines_from_the_end_are_the_lines(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], end: bytes, pad: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.jsonl"
    content = [b"x" * pad, *pieces]
    path.write_bytes(b"\n".join(content) + end)
    found = [line.raw for line in lines_from_end(path)]
    assert found == [line for line in content[::-1] if line.strip()]


MESSAGE = st.one_of(
    st.just({"role": "user", "content": "words"}),
    st.just({"role": "assistant", "content": [{"type": "text", "text": "words"}]}),
    st.lists(st.sampled_from("abc"), min_size=1, unique=True).map(
        lambda ids: {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": i, "name": "Read", "input": {}} for i in ids],
        }
    ),
    st.lists(st.sampled_from("abc"), min_size=1, unique=True).map(
        lambda ids: {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": i, "content": "x"} for i in ids],
        }
    ),
)


@given(st.lists(MESSAGE, min_size=1, max_size=8))
@example(
    [
        {"role": "user", "content": "words"},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "a", "name": "Read", "input": {}}],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": call, "content": "x"} for call in ("b", "a")
            ],
        },
    ]
)
def test_whatever_stands_in_a_file_what_is_loaded_can_be_sent(
    tmp_path_factory: pytest.TempPathFactory, messages: list[Mapping[str, Any]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    rows = [
        record(str(n), str(n - 1) if n else None, one["role"], one["content"])
        for n, one in enumerate(messages)
    ]
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    loaded = load_transcript(path)
    assert len(loaded.uuids) == len(loaded.messages)
    ends_open = bool(loaded.messages and blocks(loaded.messages[-1], "tool_use"))
    if loaded.messages and not ends_open:
        assert valid(loaded.messages)
    if any(message["role"] == "user" and message["content"] == "words" for message in messages):
        assert loaded.messages
