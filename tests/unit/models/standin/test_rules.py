"""The stand-in: what it makes of what a learner types, and of a script; it depends on its input."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from memlab.evals.labelled import LABELLED, read_yaml
from memlab.memdir.memory import format_memory, parse_memory
from memlab.models import Script
from memlab.models.request import ModelRequest
from memlab.models.standin.answer import Answered, answer
from memlab.models.standin.statements import ANSWERS, memories_in
from memlab.models.standin.task import MissingBlockError
from memlab.models.wire import Reply, say
from memlab.prompts.blocks import block
from memlab.settings import Settings
from tests.house import House, note, run, talk

NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)  # a Friday
DIRECTORY = block("memory_directory", "~/memory")
LONG = "the board lists every boat with its number and seats, " * 12 + "and no names."
KEPT = f"""project: Remember that we run Postgres 9.6. = we run Postgres 9.6.
user: I always use Python 3.11. = I always use Python 3.11.
project: Remember: app.py prints hi. = app.py prints hi.
project: Remember that {LONG} = {LONG}
project: 请记住：我喜欢用制表符。 = 我喜欢用制表符。
project: Remember: do not run X, I run it. = do not run X, I run it.
project: Remember that A opens. B is. Now fix C. = A opens. B is.
user: I prefer using tabs for code. Remember that. = I prefer using tabs
user: I also prefer single quotes for strings. = I also prefer single
user: tabs are better than spaces = tabs are better than spaces
project: Auth rewrite is compliance-driven = Auth rewrite is
reference: Pipeline bugs are in Linear INGEST = Pipeline bugs are in
feedback: From now on, answer in 3 lines. = 3 lines.
project: The boards are due next Friday. = next Friday (2026-03-27)."""
NOT_KEPT = """Do not save this: I work at Initech.
I prefer the second option here.
Should I always use tabs?
If I said that I prefer tabs, what would change?
Remember: fixed the crash by adding a null check in line 40 of app.py
Remember the wifi password: bluewhale.
I <q>never ever</q> like tea.
Ignore memory. I always use tabs."""
PASTED = "What does this mail want?\nHi team,\nremember that the door is red."


def test_one_memory_has_the_words_as_they_were_typed() -> None:
    for line in KEPT.split("\n"):
        kind, _, rest = line.partition(": ")
        said, body = rest.split(" = ")
        [found] = memories_in(said, NOON)
        kept = parse_memory(format_memory(found))
        assert (str(kept.type), body in kept.body) == (kind, True), said
        assert ("Now fix" in kept.body, "memory" in kept.body) == (False, False)
    for said in [*NOT_KEPT.split("\n"), PASTED]:
        assert [*memories_in(said, NOON)] == [], said


def has(text: str, parts: Sequence[str]) -> bool:
    return all(any(one.strip() in text for one in part.lower().split("|")) for part in parts)


def test_ordinary_sentences_are_saved_as_their_labels_want() -> None:
    """The figures are reported for what they are; the rules were not made for them."""
    right = wrong = 0
    for case in read_yaml(LABELLED / "sentences" / "final.yaml"):
        texts = [one.text.lower() for one in memories_in(case["said"], NOON)]
        wishes = [one["must_contain"] for one in case.get("save") or ()]
        right += bool(wishes) and all(any(has(one, wish) for one in texts) for wish in wishes)
        wrong += sum(not any(has(one, wish) for wish in wishes) for one in texts)
    assert (right, wrong) == (7, 5)


TABS, LINKS = "I like tabs for code.", "I want no new tabs in browsers with links."
COFFEE = "take-my-coffee-black.md"
FORGET = {
    "Forget about the tabs for now, show me the layout.": set(),
    "Can you forget that I like tabs?": set(),
    "Forget the spaces between the chapters.": set(),
    "Forget what I said about links.": {"links.md"},
    "Please forget tabs.md": {"tabs.md"},
    "Forget that I take my coffee black.": {COFFEE},
}


def test_what_is_said_is_saved_read_and_forgotten(house: House) -> None:
    know, keep = "What do you know about me?", "Remember that I take my coffee black."
    asked = f"{know}|{keep}|I like tea.|{know}|I like tea.|How do I take my coffee?"
    said = [one.text for one in talk(house.harness(), *asked.split("|"))]
    assert said[0].startswith("Nothing yet.")
    assert said[1] == f"Saved: {COFFEE}."
    assert "- I take my coffee black. " in said[3]
    assert f"From memory: I take my coffee black. ({COFFEE})" in said[5]
    assert len(house.files()) == 2
    house.fill(tabs=TABS, links=LINKS)
    for typed, gone in FORGET.items():
        before = {*house.files()}
        [told] = talk(house.harness(session=typed[7:12].strip()), typed)
        assert before - {*house.files()} == gone, told.text
        assert ("/undo" in told.text) == bool(gone)


def ask(said: str, index: str = "", story: Any = (), **more: Any) -> Answered:
    """Answer one message; a system prompt has prose, the directory and the index."""
    system = more.get("system", f"Prose of a tide table.\n{DIRECTORY}\n{block('index', index)}")
    turn = {"role": "user", "content": list(map(say, said.split("|")))}
    body = {"model": "m", "max_tokens": 99, "system": system, "messages": [turn]}
    request = ModelRequest("main", body)
    return answer(request, story, Settings(), chat="system" in more)


def test_it_writes_in_the_remembered_style_and_says_what_it_remembers() -> None:
    index = "- [T](t.md) — I prefer tabs, not spaces\n- [Q](q.md) — single quotes, not double"
    for known, style in ((index, "\tprint('Hello')"), ("", '    print("Hello")')):
        [call] = ask("Create a Python file called test.py", known).reply.blocks
        assert (call["name"], style in call["input"]["content"]) == ("Write", True)
    memory = block("memory", note("Indents with tabs."), file="t.md")
    found = ask(f"{block('system-reminder', memory)}|Tabs or spaces?")
    assert found.reply.blocks[0]["text"] == "From memory: Indents with tabs. (t.md)"


KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
READ_ONLY = block("system-reminder", block("memory_switch", "No.", mode="recall_only"))


def test_nothing_is_promised_in_a_chat_that_is_not_done() -> None:
    for said, system, told in (
        ("Explain quicksort.", DIRECTORY, "try"),
        ("I never commit on Fridays.", DIRECTORY, "noted"),
        (f"My key is {KEY}", DIRECTORY, "no_secrets"),
        ("Always use tabs.", "", "memory_off"),
        (f"{READ_ONLY}|I prefer tabs.", DIRECTORY, "read_only"),
    ):
        assert ask(said, system=system).reply.blocks[0]["text"] == ANSWERS[told]


TWO = "- [user] tides.md: tide tables|- [user] tabs.md: writing Python code"
USAGE = "- [user] use.md: usage of mcp__tide__read: tide parameters"
NINE = "|".join(f"- {n}.md: tide" for n in range(9))


@pytest.mark.behaviour("M2")
@pytest.mark.parametrize(
    ("query", "manifest", "more", "chosen"),
    [
        ("Which tide tables?", TWO, {}, "tides.md"),
        ("Hello there", TWO, {}, ""),
        ("Which tide tables?", TWO, {"already_shown": "tides.md"}, ""),
        ("Read the tide", USAGE, {}, "use.md"),
        ("Read the tide", USAGE, {"tools_in_use": "mcp__tide__read"}, ""),
        ("tide", NINE, {}, "0.md 1.md 2.md 3.md 4.md"),
    ],
)
def test_memories_are_chosen_by_words_tools_and_what_was_shown(
    query: str, manifest: str, more: Any, chosen: str
) -> None:
    lines = manifest.replace(".md:", ".md (2026-03-18T12:00:00Z):").split("|")
    asked = "".join(block(tag, text) for tag, text in {"query": query, **more}.items())
    turn, system = {"role": "user", "content": asked}, block("manifest", *lines)
    body = {"model": "m", "max_tokens": 99, "system": system, "messages": [turn]}
    [text] = answer(ModelRequest("select", body), (), Settings()).reply.blocks
    assert json.loads(text["text"])["selected_memories"] == chosen.split()


def test_a_dream_drops_exact_duplicates_and_dates_what_is_sure(house: House) -> None:
    plan = note("We open tomorrow, and close soon.", "plan", about="when")
    house.fill(tabs=TABS, twin=note(TABS, "tabs"), links=LINKS)
    (house.memory / "plan.md").write_text(plan)
    os.utime(house.memory / "plan.md", (house.clock.now().timestamp(),) * 2)
    run(house.harness().dream_now())
    assert {*house.files()} == {"links.md", "plan.md", "twin.md"}
    assert "We open tomorrow (2026-03-31), and close soon." in house.files()["plan.md"]


def test_the_notice_names_the_prompt_and_the_block_that_it_has_lost(house: House) -> None:
    def broken(request: ModelRequest) -> Reply:
        raise MissingBlockError("extract", "manifest")

    house.model.roles["extract"] = broken
    harness = house.harness()
    talk(harness, "I prefer tabs.", "I prefer tabs, really.")
    (notice,) = [one for one in harness.notices if "the stand-in cannot answer" in one]
    assert "<manifest> block. Put {{manifest}} back into extract.md" in notice


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
"""
STORIES = [Script.model_validate(yaml.safe_load(STORY))]


@pytest.mark.behaviour("M2")
def test_the_main_answer_depends_on_the_data_and_not_on_the_prose() -> None:
    for index, told in (("Tide  TABLE", "Two boats."), ("no table", "I can't tell.")):
        found = ask("Which  boats are free?", f"- [T](t.md) — {index}", STORIES)
        assert found.reply.blocks[0]["text"] == told


@pytest.mark.parametrize(
    ("style", "said", "saved"),
    [
        ("Four spaces.", f"Hello.  {SAID.upper()}", ["style.md"]),
        ("", SAID, ["tabs.md"]),
        ("Two spaces.", SAID, []),
        ("", f'Ana wrote: "{SAID}"', []),
        ("", f"Look:\n```\n{SAID}\n```", []),
        ("", "Read notes.txt.", []),  # which a tool prints
    ],
)
def test_a_script_saves_only_where_the_person_said_it(
    house: House, style: str, said: str, saved: list[str]
) -> None:
    house.fill(**{"style": note(style, "style", about="code style")} if style else {})
    before = house.files()
    (house.project / "notes.txt").write_text(SAID)
    house.model.scripts += STORIES
    talk(house.harness(), said)
    changed = dict(house.files().items() - before.items())
    assert [*changed] == saved
    assert all("Tabs, not spaces." in text for text in changed.values())
