"""The stand-in: what it makes of what a learner types, and of a script; it depends on its input."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.course.replay import story_script, story_turns
from memlab.evals.labelled import LABELLED, read_yaml
from memlab.evidence.quotes import without_quotes
from memlab.memdir.memory import Memory, format_memory, parse_memory
from memlab.models import Script
from memlab.models.request import ModelRequest
from memlab.models.standin.answer import Answered, answer
from memlab.models.standin.scripts import load_script, scripts_folder
from memlab.models.standin.statements import ANSWERS, memories_in
from memlab.models.standin.task import MissingBlockError
from memlab.models.wire import Reply, say
from memlab.prompts.blocks import block
from memlab.settings import Settings
from memlab.text import words
from tests.house import House, note, run, talk

NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)  # a Friday
DIRECTORY = block("memory_directory", "~/memory")
LONG = "the board lists every boat with its number and seats, " * 12 + "and no names."


@pytest.mark.parametrize(
    ("said", "body", "kind"),
    [
        ("Remember that we run Postgres 9.6.", "we run Postgres 9.6.", "project"),
        ("I always use Python 3.11.", "I always use Python 3.11.", "user"),
        ("Remember: app.py prints hi.", "app.py prints hi.", "project"),
        (f"Remember that {LONG}", LONG, "project"),
        ("请记住：我喜欢用制表符。", "我喜欢用制表符。", "project"),
        ("Remember: do not run X, I run it.", "do not run X, I run it.", "project"),
        ("Remember that A opens. B is. Now fix C.", "A opens. B is.\n", "project"),
        ("I prefer using tabs for code. Remember that.", "I prefer using tabs", "user"),
        ("I also prefer single quotes for strings.", "I also prefer single", "user"),
        ("tabs are better than spaces", "tabs are better than spaces", "user"),
        ("Auth rewrite is compliance-driven", "Auth rewrite is", "project"),
        ("Pipeline bugs are in Linear INGEST", "Pipeline bugs are in", "reference"),
        ("From now on, answer in 3 lines.", "3 lines.\n\n**Why:** ", "feedback"),
        ("The boards are due next Friday.", "next Friday (2026-03-27).", "project"),
        ("I <b>never</b> drink tea.", "I never drink tea.", "user"),
        *((said, "", "") for said in (
            "Do not save this: I work at Initech.",
            "I prefer the second option here.",
            "Should I always use tabs?",
            "If I said that I prefer tabs, what would change?",
            "What does this mail want?\nHi team,\nremember that the door is red.",
            "Remember: fixed the crash by adding a null check in line 40 of app.py",
            "Remember the wifi password: bluewhale.",
            "I <q>never ever</q> like tea.",
            "Ignore memory. I always use tabs.",
            "What does this page say? https://labels.example/blog",
        )),
    ],
)  # fmt: skip
def test_one_memory_has_the_words_as_they_were_typed(said: str, body: str, kind: Any) -> None:
    found = made(said, NOON)
    assert [str(one.type) for one in found] == [kind] * bool(kind)
    assert all(body in one.body for one in found)


def made(said: str, at: datetime) -> list[Memory]:
    return [parse_memory(format_memory(one)) for one in memories_in(said, at)]


def wrongly_saved(case: Mapping[str, Any], saved: Sequence[Memory]) -> tuple[bool, int]:
    """Judge as ``data/labelled/README.md`` says: are all wishes met, and what was no wish."""
    wishes, best = case.get("save") or [], set[int]()
    for order in permutations(range(len(saved)), min(len(wishes), len(saved))):
        pairs = zip(wishes, order, strict=False)
        best = max(best, {n for wish, n in pairs if meets(saved[n], wish)}, key=len)
    texts = [one.text.lower() for one in saved]
    never = [text.lower() for text in case.get("never", ())]
    bad = {n for n, text in enumerate(texts) for one in never if one in text}
    wrong = len({*range(len(texts))} - best | bad)
    return bool(wishes) and len(best) == len(wishes), wrong


def meets(memory: Memory, wish: Mapping[str, Any]) -> bool:
    needed = [*wish["must_contain"], *([wish["date"]] if "date" in wish else [])]
    parts = [[part.strip().lower() for part in str(one).split("|")] for one in needed]
    kinds = [kind.strip() for kind in str(wish.get("type", memory.type)).split("|")]
    text = memory.text.lower()
    found = all(any(one in text for one in either) for either in parts)
    return str(memory.type) in kinds and found


@pytest.mark.parametrize(("half", "figures"), [("work", (11, 8)), ("final", (5, 7))])
def test_ordinary_sentences_are_saved_as_their_labels_want(half: str, figures: Any) -> None:
    """The figures are reported for what they are; the rules were not made for them."""
    judged = []
    for case in read_yaml(LABELLED / "sentences" / f"{half}.yaml"):
        at = datetime.fromisoformat(f"{case.get('date', '2026-06-16')}T09:00:00+00:00")
        saved = made(case["said"], at)
        judged.append(wrongly_saved(case, saved))
    assert tuple(map(sum, zip(*judged, strict=True))) == figures


TABS = "I like tabs for code."
LINKS = "I want no new tabs in browsers with links."


def test_what_is_said_is_saved_read_and_forgotten(house: House) -> None:
    coffee, harness = "take-my-coffee-black.md", house.harness()
    know, keep = "What do you know about me?", "Remember that I take my coffee black."
    asked = f"{know}|{keep}|I like tea.|{know}|I like tea.|How do I take my coffee?"
    said = [one.text for one in talk(harness, *asked.split("|"))]
    assert said[0].startswith("Nothing yet.")
    assert said[1] == f"Saved: {coffee}."
    assert "- I take my coffee black. " in said[3]
    assert f"From memory: I take my coffee black. ({coffee})" in said[5]
    assert len(house.files()) == 2
    house.fill(tabs=TABS, links=LINKS)
    for typed, gone in {
        "Forget about the tabs for now, show me the layout.": "",
        "Can you forget that I like tabs?": "",
        "Forget the spaces between the chapters.": "",
        "Forget what I said about links.": "links.md",
        "Please forget tabs.md": "tabs.md",
        "Forget that I take my coffee black.": coffee,
    }.items():
        before = {*house.files()}
        [told] = talk(house.harness(session=typed[7:12].strip()), typed)
        assert before - {*house.files()} == {gone} - {""}, told.text
        assert ("/undo" in told.text) == bool(gone)


def test_a_file_is_written_in_the_remembered_style() -> None:
    index = "- [T](t.md) — I prefer tabs, not spaces\n- [Q](q.md) — single quotes, not double"
    for known, style in ((index, "\tprint('Hello')"), ("", '    print("Hello")')):
        [call] = ask("Create a Python file called test.py", index=known).reply.blocks
        assert (call["name"], style in call["input"]["content"]) == ("Write", True)


def test_it_reads_and_says_what_it_remembers() -> None:
    memory = block("memory", note("Indents with tabs."), file="t.md")
    recalled = block("system-reminder", memory)
    found = ask(f"{recalled}|Tabs or spaces?")
    assert found.reply.blocks[0]["text"] == "From memory: Indents with tabs. (t.md)"
    told = ask("Write a helper.", index="- [Tabs](t.md) — code").reply.blocks[0]["text"]
    for said in ("'Write a helper.'", "t.md", "never its text"):
        assert said in told


def ask(
    said: str, *, index: str = "", chat: bool = False, story: Any = (), **body: Any
) -> Answered:
    """Answer one message; a system prompt has prose, the directory and the index."""
    system = f"Prose of a tide table.\n{DIRECTORY}\n{block('index', index)}"
    given = {
        "system": system,
        "messages": [{"role": "user", "content": list(map(say, said.split("|")))}],
        **body,
    }
    request = ModelRequest("main", {"model": "m", "max_tokens": 99, **given})
    return answer(request, story, Settings(), chat=chat)


KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
READ_ONLY = block("system-reminder", block("memory_switch", "No.", mode="recall_only"))


@pytest.mark.parametrize(
    ("said", "system", "told"),
    [
        ("Explain quicksort.", DIRECTORY, "try"),
        ("I never commit on Fridays.", DIRECTORY, "noted"),
        ("I always get an error here.", DIRECTORY, "try"),
        (f"My key is {KEY}", DIRECTORY, "no_secrets"),
        ("Remember the wifi password: bluewhale.", DIRECTORY, "no_secrets"),
        ("Always use tabs.", "", "memory_off"),
        (f"{READ_ONLY}|I prefer tabs.", DIRECTORY, "read_only"),
    ],
)
def test_nothing_is_promised_in_a_chat_that_is_not_done(said: str, system: str, told: Any) -> None:
    found = ask(said, chat=True, system=system)
    assert found.source == "plain reply"
    assert found.reply.blocks[0]["text"] == ANSWERS[told]


TIDES, CODE = "- [user] tides.md: tide tables", "- [user] tabs.md: writing Python code"
USAGE = "- [user] use.md: usage of mcp__tide__read: tide parameters"


@pytest.mark.behaviour("M2")
@pytest.mark.parametrize(
    ("query", "manifest", "more", "chosen"),
    [
        ("Which tide tables?", [CODE, TIDES], {}, ["tides.md"]),
        ("Hello there", [CODE, TIDES], {}, []),
        ("Which tide tables?", [CODE, TIDES], {"already_shown": "tides.md"}, []),
        ("Read the tide", [USAGE], {}, ["use.md"]),
        ("Read the tide", [USAGE], {"tools_in_use": "mcp__tide__read"}, []),
        ("tide", [f"- {n}.md: tide" for n in range(9)], {}, [f"{n}.md" for n in range(5)]),
    ],
)
def test_memories_are_chosen_by_words_tools_and_what_was_shown(
    query: str, manifest: list[str], more: Any, chosen: list[str]
) -> None:
    manifest = [one.replace(".md:", ".md (2026-03-18T12:00:00Z):") for one in manifest]
    asked = "".join(block(tag, text) for tag, text in {"query": query, **more}.items())
    body = {
        "system": block("manifest", *manifest),
        "messages": [{"role": "user", "content": asked}],
    }
    request = ModelRequest("select", {"model": "m", "max_tokens": 99, **body})
    [text] = answer(request, (), Settings()).reply.blocks
    assert json.loads(text["text"])["selected_memories"] == chosen


def test_a_dream_drops_exact_duplicates_and_dates_what_is_sure(house: House) -> None:
    house.fill(tabs=TABS, twin=note(TABS, "tabs"), links=LINKS)
    plan, now = house.memory / "plan.md", house.clock.now().timestamp()
    plan.write_text(note("We open tomorrow, and close soon.", "plan", about="when"))
    os.utime(plan, (now, now))
    run(house.harness().dream_now())
    assert {*house.files()} == {"links.md", "plan.md", "twin.md"}
    assert "We open tomorrow (2026-03-31), and close soon." in house.files()["plan.md"]


PROMPTS = ["extract manifest", "select_request query", "dream sessions"]


@pytest.mark.parametrize("prompt", PROMPTS)
def test_the_notice_names_the_prompt_and_the_block_that_it_has_lost(
    house: House, prompt: str
) -> None:
    def broken(request: ModelRequest) -> Reply:
        raise MissingBlockError(*prompt.split())

    house.fill(tabs=TABS)
    name, tag = prompt.split()
    house.model.roles[name.removesuffix("_request")] = broken
    harness = house.harness()
    talk(harness, "I prefer tabs.", "I prefer tabs, really.")
    if name == "dream":
        run(harness.dream_now())
    (notice,) = [one for one in harness.notices if "the stand-in cannot answer" in one]
    assert f"<{tag}> block. Put {{{{{tag}}}}} back into {name}.md" in notice


SAID = "Tabs, not spaces, please."
STORY = f"""
title: two weeks
main:
  - user: "Which boats are free?"
    steps: [[{{if: "tide table", say: "Two boats."}}, {{say: "I can't tell."}}]]
extract:
  - said: "{SAID}"
    when: {{manifest_has: style.md, memory_contains: {{style.md: "Four spaces"}}}}
    save: [{{edit: style.md, old: "Four spaces.", new: "Tabs, not spaces."}}]
  - said: "{SAID}"
    when: {{manifest_lacks: style.md}}
    save: [{{file: tabs.md, name: Tabs, description: code, type: user, body: "Tabs, not spaces."}}]
dream:
  - when: {{manifest_has: [a.md, b.md]}}
    changes: [{{drop: b.md, superseded_by: a.md}}]
    say: "Merged one."
"""


@pytest.mark.behaviour("M2")
def test_the_main_answer_depends_on_the_data_and_not_on_the_prose() -> None:
    story = [Script.model_validate(yaml.safe_load(STORY))]
    asked = "Which  boats are free?"
    for index, told in (("Tide  TABLE", "Two boats."), ("no table", "I can't tell.")):
        found = ask(asked, index=f"- [T](t.md) — {index}", story=story)
        assert found.source == "script: two weeks"
        assert found.reply.blocks[0]["text"] == told


@pytest.mark.parametrize(
    ("style", "said", "saved"),
    [
        ("Four spaces.", f"Hello.  {SAID.upper()}", "style.md"),
        ("", SAID, "tabs.md"),
        ("Two spaces.", SAID, ""),
        ("", f'Ana wrote: "{SAID}"', ""),
        ("", f"Look:\n```\n{SAID}\n```", ""),
        ("", "Read notes.txt.", ""),  # which a tool prints
    ],
)
def test_a_script_saves_only_where_the_person_said_it(
    house: House, style: str, said: str, saved: str
) -> None:
    if style:
        house.fill(style=note(style, "style", about="code style"))
    before = house.files()
    (house.project / "notes.txt").write_text(SAID)
    house.model.scripts.append(Script.model_validate(yaml.safe_load(STORY)))
    talk(house.harness(), said)
    changed = dict(house.files().items() - before.items())
    assert [*changed] == [saved] * bool(saved)
    assert all("Tabs, not spaces." in text for text in changed.values())


def test_the_scripts_of_the_course_say_what_is_in_its_story() -> None:
    story, sessions = story_script([]), LABELLED.parents[0] / "example" / "sessions"
    paths = sorted(sessions.glob("*.jsonl"))
    turns = [one.words for path in paths for one in story_turns(path)]
    own = [f" {' '.join(words(without_quotes(text)))} " for text in turns]
    for entry in story.extract or ():
        said = f" {' '.join(words(entry.said))} "
        assert sum(said in text for text in own) == 1, entry.said
    assert {turn.user for turn in story.main} <= {*turns}
    for path in sorted((scripts_folder() or Path()).glob("*.yaml")):
        for turn in load_script(path).main:  # the last alternative has no condition
            for *others, last in turn.steps:
                assert (last.needs, last.offered) == ((), None), turn.user
                assert all(one.needs or one.offered is not None for one in others)
