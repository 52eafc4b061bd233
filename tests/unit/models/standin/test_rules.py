"""What a learner types, without any script: the fallback rules and the plain reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from anthropic import BadRequestError

from memlab.clock import CourseClock
from memlab.memdir.memory import format_memory, parse_memory
from memlab.models import OfflineModel
from memlab.models.connect import connect_sync
from memlab.models.standin.answer import MEMORY_OFF, NO_SECRETS, NOTHING, READ_ONLY, SAVES, TRY
from memlab.models.standin.statements import memories_in
from memlab.models.standin.task import MissingBlockError
from memlab.prompts.blocks import block
from tests.unit.models.standin import sentences
from tests.unit.models.standin.helpers import DIRECTORY, StandinSetup, assistant, line, user

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
        ("From now on, answer in three lines.", "From now on, answer in", "feedback"),
        ("The boards are due next Friday.", "next Friday (2026-03-27).", "project"),
        ("I <b>never</b> drink tea.", "I never drink tea.", "user"),
    ],
)
def test_one_memory_has_the_words_as_they_were_typed(said: str, body: str, kind: str) -> None:
    setup = StandinSetup()
    setup.extract(said)
    (file,) = setup.written
    memory = setup.memory(file)
    assert body in memory.body
    assert str(memory.type) == kind
    assert len(memory.name) <= 60
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
        "Thanks, that is all.",
    ],
)
def test_these_make_no_memory(said: str) -> None:
    assert StandinSetup().extract(said) == "Nothing new."


def test_what_is_there_is_neither_repeated_nor_written_over() -> None:
    setup = StandinSetup()
    setup.extract("I prefer short answers.")
    (file,) = setup.written
    listed = [line(file, setup.memory(file).description)]
    assert setup.extract("I prefer short answers.", manifest=listed) == "Nothing new."
    old = setup.files[file]
    setup.extract("I prefer short answers.", manifest=[line(file, "in mail")])
    assert setup.files[file] == old
    assert setup.extract("I like tea.", "Thanks.", new=["Thanks."]) == "Nothing new."
    rule = "Always run the whole test suite before every commit."
    assert StandinSetup().extract(rule, instructions=rule) == "Nothing new."


@pytest.mark.parametrize(("half", "correct", "wrong"), [("work", 11, 8), ("final", 5, 7)])
def test_ordinary_sentences_are_saved_as_their_labels_want(
    half: str, correct: int, wrong: int
) -> None:
    """The figures are reported for what they are; the rules were not made for them."""
    saved_correctly = saved_wrongly = 0
    for case in sentences.load_cases(half):
        at = datetime.fromisoformat(f"{case.get('date', sentences.USUAL_DAY)}T09:00:00+00:00")
        texts = [format_memory(memory) for memory in memories_in(case["said"], at)]
        met, mistakes = sentences.judge(case, [parse_memory(text) for text in texts])
        saved_correctly += met and "save" in case
        saved_wrongly += mistakes
    assert (saved_correctly, saved_wrongly) == (correct, wrong)


class TestMain:
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
    def test_the_memory_that_fits_best_is_dropped(self, said: str, gone: str) -> None:
        setup = StandinSetup(files={"tabs.md": TABS, "links.md": LINKS})
        answer = setup.say(said)
        assert gone in answer
        assert setup.written == [gone] * bool(gone)
        assert not gone or setup.memory(gone).dropped
        assert ("/undo" in answer) == (bool(gone) or said == "Forget that.")

    def test_two_that_fit_equally_are_both_kept(self) -> None:
        setup = StandinSetup(files={"tabs.md": TABS, "tabs-2.md": TABS})
        assert "More than one" in setup.say("Forget that I like tabs.")
        assert setup.written == []

    def test_what_is_to_be_remembered_is_saved_within_the_turn(self) -> None:
        said = "Remember that I take my coffee black."
        setup = StandinSetup()
        assert setup.say(said) == "Saved: take-my-coffee-black.md."
        assert setup.memory(setup.written[0]).body.strip() == "I take my coffee black."
        refused = StandinSetup(refuse={"take-my-coffee-black.md": "it is known"})
        assert refused.say(said).startswith("Nothing was saved. ")
        system = block("memory_directory", DIRECTORY)
        for other in ("Remember that we open tomorrow.", "I like tea."):
            assert StandinSetup().ask("main", [user(other)], system).source == "plain reply"

    def test_a_question_is_answered_with_what_recall_attached(self) -> None:
        recalled = block("system-reminder", block("memory", TABS, file="tabs.md"))
        system = block("memory_directory", DIRECTORY)
        asked = StandinSetup().ask("main", [user(recalled, "Tabs or spaces?")], system)
        assert asked.reply.blocks[0]["text"] == "From memory: Indents with tabs. (tabs.md)"
        assert StandinSetup().ask("main", [user("Tabs or spaces?")], system).source == "plain reply"

    @pytest.mark.parametrize(
        "said",
        [
            "What do you know about me?",
            "What are my preferences?",
            "What did I tell you about my preferences?",
        ],
    )
    def test_it_reads_and_says_what_it_remembers(self, said: str) -> None:
        one = StandinSetup(files={"tabs.md": TABS})
        assert one.say(said) == "From your memories:\n- Indents with tabs. (tabs.md)"
        assert StandinSetup().say(said).startswith("Nothing yet.")

    def test_a_file_is_written_in_the_remembered_style(self) -> None:
        index = (
            "- [Tabs](t.md) — I prefer tabs, not spaces\n- [Q](q.md) — single quotes, not double"
        )
        for known, style in ((index, "\tprint('Hello')"), ("", '    print("Hello")')):
            one = StandinSetup()
            assert one.say("Create a Python file called test.py", index=known) == "I wrote test.py."
            assert style in one.files["test.py"]

    def test_a_notebook_is_told_that_no_script_fits_and_which_memories_came(self) -> None:
        index = "- [Tabs](tabs.md) — writing code"
        said = StandinSetup().say("Write a helper that sorts the boats.", index=index)
        assert "No script contains these words: 'Write a helper that sorts the boats.'" in said
        assert "tabs.md" in said
        assert "never its text" in said
        assert "never its text" not in StandinSetup().say("Write a helper.", "Write another.")


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (("Explain quicksort.",), TRY),
        (("Explain quicksort.", "And mergesort?"), NOTHING),
        (("I never commit on Fridays.",), SAVES),
        (("I always get an error here.",), TRY),
        (("My key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789",), NO_SECRETS),
        (("Remember the wifi password: bluewhale.",), NO_SECRETS),
    ],
)
def test_the_reply_in_a_chat(said: tuple[str, ...], answer: str) -> None:
    assert StandinSetup(chat=True).say(*said) == answer


def test_nothing_is_promised_that_is_not_done() -> None:
    assert StandinSetup(chat=True).say("Always use tabs.", off=True) == MEMORY_OFF
    switch = block("memory_switch", "No saving.", mode="recall_only")
    asked = [user(block("system-reminder", switch), "I prefer tabs.")]
    system = block("memory_directory", DIRECTORY)
    assert StandinSetup(chat=True).run("main", asked, system) == READ_ONLY


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


def test_a_dream_does_what_code_can_know_and_no_more() -> None:
    plan = TABS.replace("Indents with tabs.", "We open tomorrow, and close soon.")
    setup = StandinSetup(
        files={"tabs.md": TABS, "twin.md": TABS, "plan.md": plan, "links.md": LINKS}
    )
    setup.files["MEMORY.md"] = f"# Mine\n- [Tabs](tabs.md) — {'x' * 300}\n- [Old](old.md) — gone\n"
    manifest = [line(file, "d") for file in setup.files if file != "MEMORY.md"]
    said = setup.dream(*manifest)
    assert setup.memory("twin.md").superseded_by == "tabs.md"
    assert "We open tomorrow (2026-03-19), and close soon." in setup.files["plan.md"]
    assert setup.files["links.md"] == LINKS
    index = setup.files["MEMORY.md"]
    assert "old.md" not in index
    assert all(kept in index for kept in ("# Mine\n", "plan.md", "x" * 300))
    assert "1 line" in said


def test_a_summary_has_the_headings_and_does_not_pretend() -> None:
    call = {"type": "tool_use", "id": "t1", "name": "Edit", "input": {"file_path": "~/x/boats.py"}}
    turns: Sequence[Any] = [
        user("Build the board. I prefer tabs."),
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1"}]},
        assistant("Done."),
    ]
    said = StandinSetup().run("compact", [*turns, user("Summarise.")])
    headings = [one for one in said.split("\n") if one.startswith("## ")]
    assert headings == ["## Goal", "## Done", "## Remaining", "## Constraints"]
    assert "- Build the board.\n" in said
    assert "- Changed ~/x/boats.py." in said
    assert "tabs" not in said


@pytest.mark.parametrize("tag", ["new_messages", "memory_directory", "manifest"])
def test_a_prompt_without_a_block_is_a_loud_error(tag: str) -> None:
    with pytest.raises(MissingBlockError) as error:
        StandinSetup().extract("I prefer tabs.", lacks=tag)
    assert str(error.value) == (
        f'the stand-in cannot answer: the prompt "extract" has no <{tag}> block. '
        f"Put {{{{{tag}}}}} back into extract.md"
    )


@pytest.mark.behaviour("M2")
def test_the_service_says_what_is_missing_and_who_answered() -> None:
    model = OfflineModel(clock=CourseClock(datetime(2026, 3, 20, tzinfo=UTC)))
    client = connect_sync(model=model)
    asked: dict[str, Any] = {
        "model": "m",
        "max_tokens": 99,
        "messages": [{"role": "user", "content": block("query", "tabs")}],
        "extra_headers": {"X-Memlab-Purpose": "select"},
    }
    with pytest.raises(BadRequestError, match=r"no <manifest> block. Put .* back into select.md"):
        client.messages.create(**asked)
    assert "<manifest>" in model.requests[-1].fault
    raw = client.messages.with_raw_response.create(**asked, system=block("manifest"))
    assert raw.headers["x-memlab-source"] == "fallback%20rules"
    assert model.requests[-1].source == "fallback rules"
    assert DIRECTORY not in raw.text()
