"""The stand-in: what it makes of what a learner types, and of a script; it depends on its input."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from memlab.memdir.memory import format_memory, parse_memory
from memlab.models import Script
from memlab.models.request import ModelRequest
from memlab.models.standin.answer import Answered, answer
from memlab.models.standin.statements import ANSWERS, memories_in
from memlab.models.wire import say
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
    house.fill(**{"tabs": TABS, "links": LINKS, "crew/oars [2] are": "Oars are blue."})
    assert "- Oars are blue. (crew/oars [2] are.md)" in talk(house.harness(), know)[0].text
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


TWO = "- [user] tides.md: tide tables;- [user] tabs.md: writing Python code"
USAGE = "- [user] use.md: usage of mcp__tide__read: tide parameters"
NINE = ";".join(f"- {n}.md: tide" for n in range(9))


CHOSEN = f"""Which tide tables?|{TWO}||tides.md
Hello there|{TWO}||
Which tide tables?|{TWO}|already_shown=tides.md|
Read the tide|{USAGE}||use.md
Read the tide|{USAGE}|tools_in_use=mcp__tide__read|
tide|{NINE}||0.md 1.md 2.md 3.md 4.md"""


@pytest.mark.behaviour("M2")
@pytest.mark.parametrize("row", CHOSEN.split("\n"))
def test_memories_are_chosen_by_words_tools_and_what_was_shown(row: str) -> None:
    query, manifest, more, chosen = row.split("|")
    tag, _, value = more.partition("=")
    lines = manifest.replace(".md:", ".md (2026-03-18T12:00:00Z):").split(";")
    asked = block("query", query) + (tag and block(tag, value))
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


def test_a_script_saves_only_where_the_person_said_it(house: House) -> None:
    house.model.scripts += STORIES
    (house.project / "notes.txt").write_text(SAID)  # which a tool prints
    for said in (f'Ana wrote: "{SAID}"', f"Look:\n```\n{SAID}\n```", "Read notes.txt."):
        talk(house.harness(f"s{len(said)}"), said)
        assert house.files() == {}
    talk(house.harness("own"), SAID)
    assert [*house.files()] == ["tabs.md"]
    for style, changed in (("Two spaces.", False), ("Four spaces.", True)):
        house.fill(style=note(style, "style", about="code style"))
        talk(house.harness(style[:3]), f"Hello.  {SAID.upper()}")
        assert ("Tabs, not spaces." in house.files()["style.md"]) == changed
