"""A variant is a folder with the changed files, and its version says what is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.bench.variants import load_variants
from memlab.errors import PromptError
from memlab.prompts import prompt_text

SENT = ("select", "select_request")


def a_folder(at: Path, **texts: str) -> str:
    at.mkdir(parents=True)
    for name, text in texts.items():
        (at / f"{name}.md").write_text(text)
    return str(at)


def test_a_version_follows_the_words_that_are_sent_and_nothing_else(tmp_path: Path) -> None:
    changed = prompt_text("select") + "\nBe brief."
    names = [
        "base",
        a_folder(tmp_path / "copy", select=prompt_text("select") + "\n"),
        a_folder(tmp_path / "other", dream=prompt_text("dream") + "\nBe brief."),
        a_folder(tmp_path / "mine", select=changed),
        a_folder(tmp_path / "theirs", select=changed),
    ]
    base, copy, other, mine, theirs = load_variants(names)
    assert base.version(SENT) == copy.version(SENT) == other.version(SENT)
    assert mine.version(SENT) == theirs.version(SENT) != base.version(SENT)
    assert "+Be brief." in mine.diff(SENT, base)
    # what is compared is what is shown, whoever else has changed it
    assert "-Be brief." in base.diff(SENT, mine)
    assert other.diff(SENT, base) == theirs.diff(SENT, mine) == ""


def test_a_name_can_be_an_example_and_base_can_be_compared_with_itself(tmp_path: Path) -> None:
    a_folder(tmp_path / "brief", select=prompt_text("select"))
    found = load_variants(["base", "brief", "base"], examples=tmp_path)
    assert [variant.name for variant in found] == ["base", "brief", "base again"]


def test_what_is_no_variant_is_refused_with_what_to_do(tmp_path: Path) -> None:
    a_folder(tmp_path / "brief")
    with pytest.raises(PromptError, match="one of: base, brief"):
        load_variants(["base", "breif"], examples=tmp_path)
    bad = a_folder(tmp_path / "bad", select="no manifest")
    with pytest.raises(PromptError, match="manifest"):
        load_variants(["base", bad])
    first = a_folder(tmp_path / "a" / "mine")
    second = a_folder(tmp_path / "b" / "mine")
    with pytest.raises(PromptError, match="two variants are called 'mine'"):
        load_variants([first, second])
