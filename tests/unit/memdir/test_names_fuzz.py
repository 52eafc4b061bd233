"""No text, however odd, names a file outside the memory directory."""

from __future__ import annotations

import os
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memlab.evals.attacks import set_up
from memlab.memdir.folder import Folder
from memlab.memdir.names import plain_file
from tests.platforms import needs_posix
from tests.unit.memdir.test_names import TREE, is_allowed

PIECES = ("..", ".", "/", "//", "notes", ".md", "\\", ":", "C:", "~", "%", "%2e", "%252f", "%20")
PIECES += ("\u2024", "\u2025", "\uff0e", "\uff0f", "\u2100", "\u200d", "\ufe0f", "\u200b", "\x00")
PIECES += ("crew", "diary.md", ".memlab", "MEMLAB~1", "nul", " ", "\u00e4", "a\u0308", "👩", "\n")


@pytest.mark.behaviour("H5")
@needs_posix
@settings(max_examples=300, deadline=None)
@given(path=st.one_of(st.text(max_size=40), st.lists(st.sampled_from(PIECES)).map("".join)))
def test_no_text_leads_out_by_any_reading(
    path: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    top = tmp_path_factory.getbasetemp() / "any-text"
    if not top.exists():
        set_up(["crew -> ../outside", "diary.md -> ../outside/secret.md"], TREE.make(top)["MEMORY"])
    memory = top / "memory"
    if not is_allowed(memory, path):
        return
    place = memory / plain_file(Folder(memory), path)
    for read in (str(place), unicodedata.normalize("NFKC", str(place)), str(place).casefold()):
        assert os.path.realpath(read).startswith(f"{os.path.realpath(memory)}/")
    assert not place.is_dir()
    assert ".memlab" not in place.parts
