"""No text breaks out of its reminder, or goes over its budget."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memlab.settings import Settings
from tests.unit.recall.helpers import put
from tests.unit.recall.test_attach import _ANY_TAG, BREAKOUTS, CLOSE, OPEN, content, only


@pytest.mark.behaviour("F6")
@given(st.lists(st.sampled_from([*BREAKOUTS, "<", "/", "system-reminder>", " ", "\n", "x"])))
@example(BREAKOUTS)
def test_a_memory_cannot_end_its_reminder(parts: list[str]) -> None:
    with TemporaryDirectory() as folder:
        text = only(put(Path(folder), "a.md", "".join(parts).encode())).text
    assert len(_ANY_TAG.findall(text)) == 2
    assert text.startswith(OPEN)
    assert text.endswith(CLOSE)


@pytest.mark.behaviour("F5")
@given(st.text(max_size=300), st.integers(1, 9), st.integers(1, 60))
def test_no_text_goes_over_its_budget(text: str, lines: int, size: int) -> None:
    settings = Settings().with_changes(surface_max_lines=lines, surface_max_bytes=size)
    raw = text.encode("utf-8", "replace")
    with TemporaryDirectory() as folder:
        attachment = only(put(Path(folder), "a.md", raw), settings)
    body = content(attachment)
    assert len(body.encode()) <= size
    assert len(body.split("\n")) <= lines
    assert attachment.cut or body == raw.decode().strip("\r\n")
