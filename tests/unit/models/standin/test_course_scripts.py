"""The scripts of the course: take away what an answer rests on, and the answer changes."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from memlab.course.replay import story_script, story_turns
from memlab.evidence.quotes import without_quotes
from memlab.models.standin.scripts import Script, load_script, notebook_scripts, scripts_folder
from memlab.prompts.blocks import block
from memlab.text import block_text, words
from tests.unit.models.standin.helpers import DIRECTORY, StandinSetup, line, user

EXAMPLE = Path(__file__).parents[4] / "data" / "example"
FILES = sorted((scripts_folder() or Path()).glob("*.yaml"))
STORY = story_script([])
REPLIES = "Keep your replies short for me: answer first, at most five lines."


def stored(file: str) -> str:
    return (EXAMPLE / "states" / "learned" / file).read_text(encoding="utf-8")


def about(text: str) -> str:
    return str(yaml.safe_load(text.split("---")[1])["description"])


@pytest.mark.parametrize(
    ("known", "writes"),
    [
        (["short-replies.md"], ["short-replies.md"]),
        ([], ["short-replies.md"]),
        (["short-replies.md", "copy.md"], []),
    ],
    ids=["known", "missing", "there twice"],
)
def test_a_wish_said_twice(known: list[str], writes: list[str]) -> None:
    once = " On 2026-03-25 the news was hidden in line four."
    text = stored("short-replies.md").replace(once, "")
    one = StandinSetup([STORY], {"short-replies.md": text} if known else {})
    one.extract(REPLIES, manifest=[line(file, about(text)) for file in known])
    assert one.written == writes
    assert (once.strip() in one.files.get("short-replies.md", "")) == (known == writes)
    assert one.sources[-1] == "script: Two weeks at the hire"


def first(script: Script, said: str, index: str) -> list[str]:
    system = f"{DIRECTORY}\n{block('index', index)}"
    answered = StandinSetup([script]).ask("main", [user(said)], system)
    return [one.get("name") or block_text(one) for one in answered.reply.blocks]


def test_what_was_never_remembered_is_neither_forgotten_nor_known() -> None:
    said = next(turn.user for turn in STORY.main if "forget" in turn.user)
    assert first(STORY, said, "- [Tuesday dump](tuesday-dump.md) — the only backup") == ["Read"]
    assert "nothing about a dump" in first(STORY, said, "")[0]
    (script,) = notebook_scripts(0)
    taste = "What do you know about how I like my code?"
    known = "- [Tabs](tabs.md) — tabs, not spaces; single quotes"
    assert first(script, taste, known)[0].startswith("Tabs, not spaces")
    assert first(script, taste, "")[0].startswith("Nothing.")


def test_every_sentence_of_the_two_weeks_is_said_once_in_the_story() -> None:
    paths = sorted((EXAMPLE / "sessions").glob("*.jsonl"))
    turns = [turn.words for path in paths for turn in story_turns(path)]
    own = [f" {' '.join(words(without_quotes(text)))} " for text in turns]
    for entry in STORY.extract or ():
        said = f" {' '.join(words(entry.said))} "
        assert sum(said in text for text in own) == 1, entry.said
    assert {turn.user for turn in STORY.main} <= set(turns)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_last_alternative_and_no_other_has_no_condition(path: Path) -> None:
    for turn in load_script(path).main:
        for *others, last in turn.steps:
            assert (last.needs, last.offered) == ((), None), turn.user
            assert all(one.needs or one.offered is not None for one in others), turn.user
            needs = [need for one in others for need in one.needs]
            assert not [need for need in needs if need.lower() in turn.user.lower()]
