"""What a learner types, without any script: the fallback rules and the plain reply."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from anthropic import BadRequestError

from memlab.clock import CourseClock
from memlab.course.lab import SyncClient
from memlab.evals.labelled import LABELLED, read_yaml
from memlab.memdir.memory import Memory, format_memory, parse_memory
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from memlab.models.request import ModelRequest
from memlab.models.standin.statements import ANSWERS, memories_in
from memlab.models.standin.task import MissingBlockError
from memlab.models.wire import Reply
from memlab.prompts.blocks import block
from tests.unit.agent.helpers import run
from tests.unit.models.standin.helpers import (
    DIRECTORY,
    StandinSetup,
    assistant,
    line,
    user,
)
from tests.unit.test_harness import House, talk

TABS = "---\nname: Tabs\ndescription: writing code\ntype: user\n---\nIndents with tabs.\n"
LINKS = "---\nname: Links\ndescription: links\ntype: feedback\n---\nNo new tabs in browsers.\n"
LONG = "the board lists every boat with its number and its seats, " * 12 + "and no names."


@pytest.mark.parametrize(
    ("said", "body", "kind"),
    [
        ("Remember that our server runs Postgres 9.6.", "our server runs Postgres 9.6.", "project"),
        ("I always use Python 3.11.", "I always use Python 3.11.", "user"),
        ("Remember: app.py prints hi.", "app.py prints hi.", "project"),
        (f"Remember that {LONG}", LONG, "project"),
        ("请记住：我喜欢用制表符。", "我喜欢用制表符。", "project"),
        ("Remember: do not run X, the person runs it.", "do not run X, the person runs", "project"),
        ("Remember that A opens. B is shut. Now fix C.", "A opens. B is shut.\n", "project"),
        ("I prefer using tabs for indentation. Remember that.", "I prefer using tabs", "user"),
        ("I also prefer single quotes for strings.", "I also prefer single", "user"),
        ("tabs are better than spaces", "tabs are better than spaces", "user"),
        ("Auth rewrite is compliance-driven", "Auth rewrite is", "project"),
        ("Pipeline bugs are in Linear INGEST", "Pipeline bugs are in", "reference"),
        ("From now on, answer in 3 lines.", "answer in 3 lines.\n\n**Why:** ", "feedback"),
        ("The boards are due next Friday.", "next Friday (2026-03-27).", "project"),
        ("I <b>never</b> drink tea.", "I never drink tea.", "user"),
    ],
)
def test_one_memory_has_the_words_as_they_were_typed(said: str, body: str, kind: str) -> None:
    setup = StandinSetup()
    setup.extract(said)
    (file,) = setup.written
    assert body in setup.memory(file).body
    assert str(setup.memory(file).type) == kind
    assert setup.sources[-1] == "fallback rules"


@pytest.mark.parametrize(
    "said",
    [
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
    ],
)
def test_these_make_no_memory(said: str) -> None:
    assert StandinSetup().extract(said) == "Nothing new."


def test_what_is_there_is_neither_repeated_nor_written_over() -> None:
    setup = StandinSetup()
    setup.extract("I prefer short answers.")
    (file,) = setup.written
    old = setup.files[file]
    listed = [line(file, setup.memory(file).description)]
    assert setup.extract("I prefer short answers.", manifest=listed) == "Nothing new."
    setup.extract("I prefer short answers.", manifest=[line(file, "in mail")])
    assert setup.files[file] == old
    assert setup.extract("I like tea.", "Thanks.", new=["Thanks."]) == "Nothing new."
    rule = "Always run the whole test suite before every commit."
    assert StandinSetup().extract(rule, instructions=rule) == "Nothing new."


def wrongly_saved(case: Mapping[str, Any], saved: Sequence[Memory]) -> tuple[bool, int]:
    """Judge as ``data/labelled/README.md`` says: is every wish met, and how many were no wish."""
    wishes = case.get("save") or []
    best: set[int] = set()
    for order in permutations(range(len(saved)), min(len(wishes), len(saved))):
        pairs = zip(wishes, order, strict=False)
        best = max(best, {n for wish, n in pairs if meets(saved[n], wish)}, key=len)
    never = [text.lower() for text in case.get("never", ())]
    texts = [one.text.lower() for one in saved]
    wrong = [n for n, text in enumerate(texts) if n not in best or any(t in text for t in never)]
    return bool(wishes) and len(best) == len(wishes), len(wrong)


def meets(memory: Memory, wish: Mapping[str, Any]) -> bool:
    needed = [*wish["must_contain"], *([wish["date"]] if "date" in wish else [])]
    parts = [[part.strip().lower() for part in str(one).split("|")] for one in needed]
    kinds = str(wish.get("type", memory.type)).split("|")
    return str(memory.type) in [kind.strip() for kind in kinds] and all(
        any(part in memory.text.lower() for part in either) for either in parts
    )


@pytest.mark.parametrize(("half", "figures"), [("work", (11, 8)), ("final", (5, 7))])
def test_ordinary_sentences_are_saved_as_their_labels_want(
    half: str, figures: tuple[int, int]
) -> None:
    """The figures are reported for what they are; the rules were not made for them."""
    correct = wrong = 0
    for case in read_yaml(LABELLED / "sentences" / f"{half}.yaml"):
        at = datetime.fromisoformat(f"{case.get('date', '2026-06-16')}T09:00:00+00:00")
        texts = [format_memory(memory) for memory in memories_in(case["said"], at)]
        met, mistakes = wrongly_saved(case, [parse_memory(text) for text in texts])
        correct, wrong = correct + met, wrong + mistakes
    assert (correct, wrong) == figures


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("Forget that I like tabs.", "tabs.md"),
        ("Please forget tabs.md", "tabs.md"),
        ("Forget what I said about links.", "links.md"),
        ("Forget about the tabs for now, show me the layout.", ""),
        ("Can you forget that I like tabs?", ""),
        ("Forget the spaces between the chapters.", ""),
        ("Forget that.", ""),
    ],
)
def test_the_memory_that_fits_best_is_dropped(said: str, gone: str) -> None:
    setup = StandinSetup(files={"tabs.md": TABS, "links.md": LINKS})
    answer = setup.say(said)
    assert setup.written == [gone] * bool(gone)
    assert not gone or (setup.memory(gone).dropped and gone in answer)
    assert ("/undo" in answer) == (bool(gone) or said == "Forget that.")
    setup = StandinSetup(files={"tabs.md": TABS, "tabs-2.md": TABS})
    assert setup.say("Forget that I like tabs.").startswith("More than one")
    assert setup.written == []


def test_what_is_to_be_remembered_is_saved_within_the_turn_or_the_reason_is_said() -> None:
    said = "Remember that I take my coffee black."
    setup = StandinSetup()
    assert setup.say(said) == "Saved: take-my-coffee-black.md."
    assert setup.memory("take-my-coffee-black.md").body.strip() == "I take my coffee black."
    refused = StandinSetup(refuse={"take-my-coffee-black.md": "it is known"})
    assert refused.say(said).startswith("Nothing was saved. take-my-coffee-black.md was refused")
    undated = StandinSetup().ask("main", [user("Remember that we open tomorrow.")], DIRECTORY)
    assert undated.source == "plain reply"


def test_a_question_is_answered_with_what_recall_attached() -> None:
    recalled = block("system-reminder", block("memory", TABS, file="tabs.md"))
    asked = StandinSetup().ask("main", [user(recalled, "Tabs or spaces?")], DIRECTORY)
    assert asked.reply.blocks[0]["text"] == "From memory: Indents with tabs. (tabs.md)"
    assert StandinSetup().ask("main", [user("Tabs or spaces?")], DIRECTORY).source == "plain reply"


@pytest.mark.parametrize("said", ["What do you know about me?", "What are my preferences?"])
def test_it_reads_and_says_what_it_remembers(said: str) -> None:
    one = StandinSetup(files={"tabs.md": TABS})
    assert one.say(said) == "From your memories:\n- Indents with tabs. (tabs.md)"
    assert StandinSetup().say(said).startswith("Nothing yet.")


def test_a_file_is_written_in_the_remembered_style() -> None:
    index = "- [Tabs](t.md) — I prefer tabs, not spaces\n- [Q](q.md) — single quotes, not double"
    for known, style in ((index, "\tprint('Hello')"), ("", '    print("Hello")')):
        one = StandinSetup()
        assert one.say("Create a Python file called test.py", index=known) == "I wrote test.py."
        assert style in one.files["test.py"]


def test_a_notebook_is_told_that_no_script_fits_and_which_memories_came() -> None:
    index = "- [Tabs](tabs.md) — writing code"
    said = StandinSetup().say("Write a helper that sorts the boats.", index=index)
    assert "No script contains these words: 'Write a helper that sorts the boats.'" in said
    assert "tabs.md" in said
    assert "never its text" in said
    assert "never its text" not in StandinSetup().say("Write a helper.", "Write another.")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (("Explain quicksort.",), "try"),
        (("Explain quicksort.", "And mergesort?"), "nothing"),
        (("I never commit on Fridays.",), "noted"),
        (("I always get an error here.",), "try"),
        (("My key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",), "no_secrets"),
        (("Remember the wifi password: bluewhale.",), "no_secrets"),
    ],
)
def test_the_reply_in_a_chat(said: tuple[str, ...], answer: str) -> None:
    assert StandinSetup(chat=True).say(*said) == ANSWERS[answer]


def test_nothing_is_promised_that_is_not_done() -> None:
    one = StandinSetup(chat=True)
    assert one.say("Always use tabs.", system="") == ANSWERS["memory_off"]
    switch = block("system-reminder", block("memory_switch", "No.", mode="recall_only"))
    asked = [user(switch, "I prefer tabs.")]
    assert one.run("main", asked, DIRECTORY) == ANSWERS["read_only"]


def chosen(query: str, *manifest: str, shown: str = "", tools: str = "") -> list[str]:
    asked = [block("query", query), block("already_shown", shown), block("tools_in_use", tools)]
    answered = StandinSetup().ask("select", [user("\n".join(asked))], block("manifest", *manifest))
    return list(json.loads(answered.reply.blocks[0]["text"])["selected_memories"])


@pytest.mark.behaviour("M2")
def test_memories_are_chosen_by_words_tools_and_what_was_shown() -> None:
    tabs, tides = line("tabs.md", "writing Python code"), line("tides.md", "tide tables")
    usage = line("use.md", "usage of mcp__tide__read: tide parameters")
    assert chosen("Which tide tables?", tabs, tides) == ["tides.md"]
    assert chosen("Hello there", tabs, tides) == []
    assert chosen("Which tide tables?", tabs, tides, shown="tides.md") == []
    assert "use.md" in chosen("Read the tide", usage)
    assert chosen("Read the tide", usage, tools="mcp__tide__read") == []
    many = [line(f"m{n}.md", "tide tables") for n in range(9)]
    assert len(chosen("tide tables", *many)) == 5


def test_a_dream_drops_exact_duplicates_and_dates_what_is_sure() -> None:
    plan = TABS.replace("Indents with tabs.", "We open tomorrow, and close soon.")
    files = {"tabs.md": TABS, "twin.md": TABS, "plan.md": plan, "links.md": LINKS}
    setup = StandinSetup(files=dict(files))
    setup.dream(*(line(file, "d") for file in files))
    assert setup.memory("twin.md").superseded_by == "tabs.md"
    assert "We open tomorrow (2026-03-19), and close soon." in setup.files["plan.md"]
    assert setup.written == ["twin.md", "plan.md"]


def test_a_summary_has_the_headings_and_does_not_pretend() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "~/x/boats.py"}}
    result = {"type": "tool_result", "tool_use_id": "t1"}
    turns = [user("Build the board. I prefer tabs. Use tabs, not spaces."), assistant(call)]
    turns += [{"role": "user", "content": [result]}, assistant("Done."), user("Summarise.")]
    said = StandinSetup().run("compact", turns)
    headings = [one for one in said.split("\n") if one.startswith("## ")]
    assert headings == ["## Goal", "## Done", "## Remaining", "## Constraints"]
    assert "- Build the board.\n" in said
    assert "- Changed ~/x/boats.py." in said
    assert "tabs" not in said


def test_the_log_has_what_was_said_and_is_read_before_it_is_written() -> None:
    log = "logs/2026/03/2026-03-20.md"
    one = StandinSetup(files={log: "- first\n"})
    system = f"{DIRECTORY}\n{block('log_path', 'logs')}"
    assert one.say("Remember that we sail tomorrow.", system=system) == f"Saved: {log}."
    assert one.calls == [("Read", log), ("Write", log)]
    assert one.files[log] == "- first\n- we sail tomorrow (2026-03-21).\n"


@pytest.mark.behaviour("M2")
def test_the_service_says_what_is_missing_and_who_answered() -> None:
    model = OfflineModel(clock=CourseClock(datetime(2026, 3, 20, tzinfo=UTC)))
    client = SyncClient(make_runtime(model=model).client)
    asked: dict[str, Any] = {
        "model": "m",
        "max_tokens": 99,
        "messages": [{"role": "user", "content": block("query", "tabs")}],
        "extra_headers": {"X-Memlab-Purpose": "select"},
    }
    with pytest.raises(BadRequestError, match=r"no <manifest> block. Put .* back into select.md"):
        client.messages.create(**asked)
    client.messages.create(**asked, system=block("manifest"))
    assert model.requests[-1].source == "fallback rules"


@pytest.mark.parametrize(
    ("prompt", "tag", "begins"),
    [
        ("extract", "manifest", "Saving to memory failed: "),
        ("select_request", "query", "Recall chose by keywords: "),
        ("dream", "sessions", "The dream failed: "),
    ],
)
def test_the_notice_names_the_prompt_and_the_block_that_it_has_lost(
    prompt: str, tag: str, begins: str, tmp_path: Path
) -> None:
    def broken(request: ModelRequest) -> Reply:
        raise MissingBlockError(prompt, tag)

    house = House(tmp_path / "home")
    house.memory.mkdir(parents=True)
    (house.memory / "tabs.md").write_text(TABS, encoding="utf-8")
    purpose = prompt.removesuffix("_request")
    house.model.roles[purpose] = broken
    harness = house.harness()
    talk(harness, "I prefer tabs.", "I prefer tabs, really.")
    if purpose == "dream":
        run(harness.dream_now)
    (notice,) = [one for one in harness.notices if "the stand-in cannot answer" in one]
    assert notice.startswith(begins)
    assert f"<{tag}> block. Put {{{{{tag}}}}} back into {prompt}.md" in notice
