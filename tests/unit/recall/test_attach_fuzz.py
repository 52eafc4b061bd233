"""What is shown of memories, for any text: it fits, and nothing in it ends its block."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.settings import Settings
from tests.unit.recall.helpers import put
from tests.unit.recall.test_attach import _ANY_TAG, BREAKOUTS, content, only


@pytest.mark.behaviour("F5")
@given(st.text(max_size=300), st.integers(1, 9), st.integers(1, 60))
def test_no_text_goes_over_its_budget(text: str, lines: int, size: int) -> None:
    import tempfile

    settings = Settings().with_changes(surface_max_lines=lines, surface_max_bytes=size)
    with tempfile.TemporaryDirectory() as folder:
        raw = text.encode("utf-8", "replace")
        attachment = only(put(Path(folder), "a.md", raw), settings)
    body = content(attachment).split("\n\n(Cut here.")[0]
    assert len(body.replace("&lt;", "<").encode()) <= size
    assert len(body.split("\n")) <= lines
    assert attachment.cut or body == raw.decode().strip("\r\n")


@given(st.lists(st.sampled_from([*BREAKOUTS, "<", "/", "system-reminder>", " ", "\n", "x"])))
def test_no_mixture_does(parts: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        text = only(put(Path(folder), "a.md", "".join(parts).encode())).text
    assert len(_ANY_TAG.findall(text)) == 2
