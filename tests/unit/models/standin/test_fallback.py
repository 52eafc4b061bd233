"""What a learner types, without any script: the fallback rules and the plain reply."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from anthropic import BadRequestError

from memlab.bridge import SyncClient
from memlab.clock import CourseClock
from memlab.memdir.memory import format_memory, parse_memory
from memlab.memdir.scan import MemoryHeader
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime
from memlab.models.standin.calendar import write_dates
from memlab.models.standin.requests import MissingBlockError
from memlab.models.standin.statements import new_memories, title_of
from memlab.prompts.blocks import block
from tests.unit.models.standin import sentences
from tests.unit.models.standin.helpers import DIRECTORY, NOON, StandinSetup, assistant, line, user

LABELLED = Path(__file__).parents[4] / "data" / "labelled"
TABS = "---\nname: Tabs\ndescription: writing code\ntype: user\n---\nIndents with tabs.\n"
LINKS = "---\nname: Links\ndescription: links\ntype: feedback\n---\nNo new tabs in browsers.\n"


class TestExtract:
    def test_a_statement_becomes_one_memory_that_a_person_would_have_written_so(self) -> None:
        setup = StandinSetup()
        setup.extract("From now on, put the VAT on its own line, because the auditors look for it.")
        memory = setup.memory("put-the-vat-on-its-own-line.md")
        assert memory.name == "Put the VAT on its own line"
        assert memory.description == "When you do something with put, vat, line, auditors, look"
        assert memory.body.startswith("\nFrom now on, put the VAT on its own line, because")
        assert "**Why:** The auditors look for it." in memory.body
        assert setup.sources[-1] == "fallback rules"

    def test_what_is_known_is_left_as_it_is(self) -> None:
        setup = StandinSetup()
        setup.extract("I prefer short answers.")
        about = setup.memory("short-answers.md").description
        setup.calls.clear()
        listed = [line("short-answers.md", about)]
        assert setup.extract("I prefer short answers.", manifest=listed) == "Nothing new."
        assert setup.extract("I prefer short answers in French.", manifest=listed).endswith(".md.")
        assert "short-answers.md" not in setup.written

    def test_a_memory_of_the_same_name_is_never_written_over(self) -> None:
        old = TABS.replace("Tabs", "Short answers")
        setup = StandinSetup(files={"short-answers.md": old})
        setup.extract("I prefer short answers.", manifest=[line("short-answers.md", "in mail")])
        assert setup.files["short-answers.md"] == old
        assert len(setup.written) == 1

    def test_a_correction_adds_a_memory_that_names_the_old_one(self) -> None:
        setup = StandinSetup()
        listed = [line("recipe-units.md", "writing a recipe"), line("hours.md", "opening hours")]
        setup.extract("We've switched the recipes to percentages.", manifest=listed)
        (file,) = setup.written
        assert "corrects recipe-units.md" in setup.memory(file).body

    def test_what_is_cut_out_of_a_sentence_does_not_turn_it_round(self) -> None:
        setup = StandinSetup()
        setup.extract("I <b>never</b> drink tea.")
        assert "I never drink tea." in setup.memory("never-drink-tea.md").body
        assert StandinSetup().extract("I <q>never ever</q> like tea.") == "Nothing new."

    def test_a_message_that_is_not_new_saves_nothing(self) -> None:
        assert (
            StandinSetup().extract("I prefer short answers.", "Thanks.", new=["Thanks."])
            == "Nothing new."
        )

    def test_what_the_instructions_say_is_not_saved(self) -> None:
        said = "Always run the whole test suite before every commit."
        assert StandinSetup().extract(said, instructions=said) == "Nothing new."
        assert StandinSetup().extract(said).startswith("Saved")

    def test_dates_count_from_the_message(self) -> None:
        setup = StandinSetup()
        setup.extract("The boards go to the printer next Friday.")
        assert "on 2026-03-27" in setup.memory(setup.written[0]).body
        assert StandinSetup().extract("Tomorrow: finish cli.py, then the board.") == "Nothing new."


@pytest.mark.parametrize(("half", "correct", "wrong"), [("work", 24, 0), ("final", 11, 8)])
def test_ordinary_sentences_are_saved_as_their_labels_want(
    half: str, correct: int, wrong: int
) -> None:
    saved_correctly = saved_wrongly = 0
    for case in sentences.load_cases(half):
        at = datetime.fromisoformat(f"{case.get('date', sentences.USUAL_DAY)}T09:00:00+00:00")
        listed = [
            MemoryHeader(Path(one["file"]), one["file"], NOON, "", one["description"], None)
            for one in case.get("existing", ())
        ]
        made = new_memories(case["said"], at, listed, case.get("claude_md", ""))
        texts = [format_memory(memory) for memory in made]
        met, mistakes = sentences.judge(case, [parse_memory(text) for text in texts])
        saved_correctly += met and "save" in case
        saved_wrongly += mistakes
        for text in texts:
            name = text.split("\n")[1].removeprefix("name: ")
            assert "…" not in name
            assert len(name) <= 65, name
    assert saved_correctly >= correct
    assert saved_wrongly <= wrong


@pytest.mark.parametrize(
    ("said", "dated"),
    [
        ("Ab dem 3. April, bis Freitag und übermorgen", "Ab dem 2026-04-03, bis 2026-03-27 und"),
        ("le 3 mai, vendredi prochain", "le 2026-05-03, 2026-03-27"),
        ("until the 2nd, on Feb 1", "until 2026-04-02, on 2027-02-01"),
        (
            "every Friday, on Mondays, the 30th edition",
            "every Friday, on Mondays, the 30th edition",
        ),
        ("on 31 June", "on 31 June"),
    ],
)
def test_days_are_dated_in_three_languages(said: str, dated: str) -> None:
    assert dated in write_dates(said, NOON)[0]


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("I'm deaf in my left ear, so no sounds.", "Deaf in my left ear"),
        ("The supplier lists are on the drive.", "Supplier lists on the drive"),
        (
            "Please never send the letters to the printer before the mayor and the whole council "
            "have read them.",
            "Never send the letters to the printer",
        ),
    ],
)
def test_a_title_is_a_phrase_that_ends_with_a_clause(said: str, title: str) -> None:
    assert title_of(said) == title


class TestMain:
    @pytest.mark.parametrize(
        ("said", "gone"),
        [
            ("Forget that I like tabs.", "tabs.md"),
            ("Please forget tabs.md", "tabs.md"),
            ("Vergiss bitte, dass ich Tabs mag!", "tabs.md"),
            ("Forget what I said about links.", "links.md"),
        ],
    )
    def test_the_memory_that_fits_best_is_dropped(self, said: str, gone: str) -> None:
        setup = StandinSetup(files={"tabs.md": TABS, "links.md": LINKS})
        assert gone in setup.say(said)
        assert setup.memory(gone).is_tombstone
        assert setup.written == [gone]
        assert setup.memory(gone).dropped

    @pytest.mark.parametrize(
        "said",
        [
            "Forget about the tabs for now, show me the layout.",
            "Don't forget the tabs.",
            "Can you forget that I like tabs?",
            "Forget the spaces between the chapters.",
            "Forget it.",
        ],
    )
    def test_nothing_is_dropped_by_other_words(self, said: str) -> None:
        setup = StandinSetup(files={"tabs.md": TABS, "links.md": LINKS})
        setup.say(said)
        assert setup.written == []

    def test_two_that_fit_equally_are_both_kept(self) -> None:
        setup = StandinSetup(files={"tabs.md": TABS, "again.md": TABS})
        setup.files["again.md"] = TABS
        setup.files["tabs-2.md"] = setup.files.pop("again.md")
        assert "More than one" in setup.say("Forget that I like tabs.")
        assert setup.written == []

    def test_what_is_to_be_remembered_is_saved_within_the_turn(self) -> None:
        setup = StandinSetup()
        assert (
            setup.say("Remember that I take my coffee black.") == "Saved: take-my-coffee-black.md."
        )
        body = setup.memory(setup.written[0]).body.strip()
        assert body == 'The person says: "I take my coffee black."'
        refused = StandinSetup(refuse={"take-my-coffee-black.md": "it is known"})
        assert "refused: it is known" in refused.say("Remember that I take my coffee black.")
        for other in ("Remember that we open tomorrow.", "Remember the tabs.", "I like tea."):
            system = block("memory_directory", DIRECTORY)
            assert StandinSetup().ask("main", [user(other)], system).source == "plain reply"

    def test_a_question_is_answered_with_what_recall_attached(self) -> None:
        recalled = block("system-reminder", block("memory", TABS, file="tabs.md"))
        system = block("memory_directory", DIRECTORY)
        asked = StandinSetup().ask("main", [user(recalled, "Tabs or spaces?")], system)
        assert asked.reply.blocks[0]["text"] == "From memory: Indents with tabs. (tabs.md)"
        assert asked.source == "fallback rules"
        assert StandinSetup().ask("main", [user("Tabs or spaces?")], system).source == "plain reply"

    def test_it_lists_what_it_remembers(self) -> None:
        index = "- [Tabs](tabs.md) — writing code"
        assert "Tabs (tabs.md): writing code" in StandinSetup().say(
            "What do you remember?", index=index
        )
        assert "empty" in StandinSetup().say("What do you know about me?")

    def test_a_reminder_in_front_of_the_words_is_not_part_of_them(self) -> None:
        reminder = block("system-reminder", "Today is Monday.")
        said = StandinSetup().say(f"{reminder}\nWhat do you know about me?")
        assert "empty" in said

    def test_a_notebook_is_told_that_no_script_fits_and_which_memories_came(self) -> None:
        index = "- [Tabs](tabs.md) — writing code"
        said = StandinSetup().say("Write a helper that sorts the boats.", index=index)
        assert "No script contains these words: 'Write a helper that sorts the boats.'" in said
        assert "tabs.md" in said
        assert "never its text" in said
        assert "never its text" not in StandinSetup().say("Write a helper.", "Write another.")


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
    quay = line("quay.md", "tide tables of the harbour"), line("lamp.md", "harbour lamps")
    assert chosen("The tide tables of the harbour?", *quay) == ["quay.md"]
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
    assert "We open on 2026-03-19, and close soon." in setup.files["plan.md"]
    assert setup.files["links.md"] == LINKS
    assert "old.md" not in setup.files["MEMORY.md"]
    assert "plan.md" in setup.files["MEMORY.md"]
    assert "# Mine\n" in setup.files["MEMORY.md"]
    assert "x" * 300 in setup.files["MEMORY.md"]
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
    assert [one for one in said.split("\n") if one.startswith("## ")] == [
        "## Goal",
        "## Done",
        "## Remaining",
        "## Constraints",
    ]
    assert "- Build the board.\n" in said
    assert "- Changed boats.py." in said
    assert "tabs" not in said
    assert "1 of the person's messages" in said


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
    client = SyncClient(make_runtime(model=model).client)
    asked: dict[str, Any] = {
        "model": "m",
        "max_tokens": 99,
        "messages": [{"role": "user", "content": block("query", "tabs")}],
        "extra_headers": {"X-Memlab-Purpose": "select"},
    }
    with pytest.raises(BadRequestError, match=r"no <manifest> block. Put .* back into select.md"):
        client.messages.create(**asked)
    raw = client.messages.with_raw_response.create(**asked, system=block("manifest"))
    assert raw.headers["x-memlab-source"] == "fallback%20rules"
    assert model.requests[-1].source == "fallback rules"
    assert DIRECTORY not in raw.text()
