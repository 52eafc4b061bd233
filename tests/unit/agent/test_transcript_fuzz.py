"""Whatever is said comes back from a transcript."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.agent.transcript import Transcript, load_transcript
from memlab.clock import CourseClock

ROLE = st.sampled_from(["user", "assistant"])


@given(
    st.lists(st.tuples(ROLE, st.text(min_size=1), st.booleans()), max_size=8),
    st.integers(0, 2**32),
)
def test_whatever_is_said_comes_back(
    tmp_path_factory: pytest.TempPathFactory, said: list[tuple[str, str, bool]], seed: int
) -> None:
    base = tmp_path_factory.mktemp("any")
    path = base / "projects" / "-p" / "s.jsonl"
    chance = random.Random(seed)
    transcript = Transcript(path, clock=CourseClock(), cwd="~")
    wanted: list[Mapping[str, Any]] = []
    for role, text, off_record in said:
        transcript.off_record = off_record
        uuid = transcript.append(role, text)
        wanted.append({"role": role, "content": text.encode("utf-8", "replace").decode()})
        if chance.random() < 0.3:
            transcript.take_off_record([uuid])
        elif chance.random() < 0.3:
            transcript.hide()
        assert transcript.problem == ""
        loaded = load_transcript(path)
        assert (list(loaded.messages), loaded.notes) == (wanted, [])
        assert loaded.off_record == transcript.off_record_ids
