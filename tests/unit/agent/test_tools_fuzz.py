"""An edit changes what was named."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memlab.agent.tool import ToolContext
from memlab.clock import CourseClock
from tests.unit.agent.test_tools import call

TEXT = st.text(st.sampled_from("ab \t\n\r'é\u2028x"), max_size=40)


@example(before="'", old="''", new="a", after="")
@given(before=TEXT, old=TEXT.filter(bool), new=TEXT, after=TEXT)
def test_an_edit_changes_what_was_named_and_no_byte_more(
    tmp_path_factory: pytest.TempPathFactory, before: str, old: str, new: str, after: str
) -> None:
    home = tmp_path_factory.getbasetemp() / "edit"
    home.mkdir(exist_ok=True)
    context = ToolContext(home, home, CourseClock())
    whole = (before + old + after).encode()
    (home / "a.txt").write_bytes(whole)
    call(context, "Read", file_path="a.txt")
    text, wrong = call(context, "Edit", file_path="a.txt", old_string=old, new_string=new)
    left = (home / "a.txt").read_bytes()
    if wrong:
        assert left == whole
        places = [n for n in range(len(whole)) if whole.startswith(old.encode(), n)]
        assert old == new or len(places) != 1 or b"\r\n" in whole
    elif b"\r\n" not in whole:
        assert left == (before + new + after).encode()
        assert text.endswith("1 replacement.")
