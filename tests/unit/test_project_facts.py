"""What the project's own files say is not remembered, unless the person insists."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from memlab.errors import MemoryRefusedError
from memlab.events import ToolFailed
from memlab.memdir.project_facts import find_project_facts
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from tests.unit.agent.helpers import run, use
from tests.unit.dream.helpers import dreamer, text
from tests.unit.test_harness import MEMORY, House, house, talk, write
from tests.work import does_not_stall

assert house  # the fixture

FACT = "The routes are in src/app.py."
NOTE = text("Routes", "reference", "where the routes are", FACT)
RULE = text("Migrations", "user", "what is never edited", "Never edit `migrations/`.")


@pytest.fixture
def tidebook(house: House) -> House:
    """The house, with a file in its project."""
    (house.project / "src").mkdir()
    (house.project / "src" / "app.py").write_text("def routes(): ...\n", encoding="utf-8")
    (house.project / "migrations").mkdir()
    return house


def answers(house: House, purpose: str, call: dict[str, Any]) -> None:
    """Let one purpose make one call, and then end."""

    def answer(request: ModelRequest) -> Reply:
        if request.answers_since:
            return Reply([say("Done.")])
        return Reply([{"type": "tool_use", "id": "toolu_1", **call}])

    house.model.roles[purpose] = answer


@pytest.mark.behaviour("A4")
@pytest.mark.parametrize("purpose", ["main", "extract"])
@pytest.mark.parametrize(("note", "kept"), [(NOTE, False), (RULE, True)])
def test_an_agent_and_its_extractor_save_a_rule_and_no_place(
    tidebook: House, purpose: str, note: str, kept: bool
) -> None:
    answers(tidebook, purpose, write("note.md", note))
    said = "Never edit `migrations/`." if kept else FACT
    talk(tidebook.harness("one"), said)
    assert tidebook.names() == (["note.md"] if kept else [])
    reasons = [event.reason for event in tidebook.events.of(ToolFailed)]
    assert any("the project itself shows this" in reason for reason in reasons) != kept


@pytest.mark.behaviour("A4")
def test_a_person_and_a_dream_are_judged_alike(tidebook: House) -> None:
    harness = tidebook.harness("one")
    with pytest.raises(MemoryRefusedError, match=r"the project itself shows this: “The routes"):
        harness.store.write_text("note.md", NOTE, who="user")
    harness.store.write_text("migrations.md", RULE, who="user")
    read = use("Read", file_path=f"{MEMORY}/migrations.md")
    with dreamer(tidebook.model, [read], [write("note.md", NOTE)], "Done."):
        task = run(harness.dream_now)
    assert tidebook.names() == ["migrations.md"]
    assert task.phase == "done"
    (failed,) = tidebook.events.of(ToolFailed)
    assert "the project itself shows this" in failed.reason


@pytest.mark.parametrize(
    "words", ["Remember: src/app.py holds the routes", f"Remember that {FACT}"]
)
def test_the_person_learns_why_and_can_insist(tidebook: House, words: str) -> None:
    harness = tidebook.harness("one")
    (said,) = talk(harness, words)
    assert tidebook.names() == []
    assert said.notices[0].startswith("Not saved: the project itself shows this: “")
    assert said.notices[0].endswith("/memory keep")

    harness.keep()
    (name,) = tidebook.names()
    assert harness.notices[-1] == f"Saved to memory: {name}"
    # what the person decided on is not refused again when the file is rewritten
    kept = harness.store.read(name).body
    harness.store.write_text(name, NOTE.replace(FACT, kept), who="user")
    assert harness.store.read(name).description == "where the routes are"


@pytest.mark.parametrize(
    "words", [FACT, "- [ ] write the routes\n- [ ] test them", "Remember to eat.", "Notes: none."]
)
def test_who_did_not_ask_for_such_a_memory_is_not_told_about_it(
    tidebook: House, words: str
) -> None:
    harness = tidebook.harness("one")
    talk(harness, words)
    assert not any(notice.startswith("Not saved") for notice in harness.notices)


def test_insisting_does_not_help_a_secret(tidebook: House) -> None:
    harness = tidebook.harness("one")
    talk(harness, "Remember that the password is hunter2-Tr0ub4dor.")
    with pytest.raises(MemoryRefusedError, match="looks like a password"):
        harness.keep()
    assert tidebook.names() == []


def test_beside_something_worth_keeping_a_place_is_only_flagged(tidebook: House) -> None:
    body = f"Never add a route on a Friday. {FACT}\n"
    memory = tidebook.harness("one").store
    done = memory.write_text("note.md", NOTE.replace(FACT, body), who="user")
    assert [(one.rule, one.severity) for one in done.findings] == [("file-layout", "flag")]


def test_without_the_file_a_place_is_only_flagged(tidebook: House) -> None:
    shutil.rmtree(tidebook.project / "src")
    done = tidebook.harness("one").store.write_text("note.md", NOTE, who="user")
    assert [(one.rule, one.severity) for one in done.findings] == [("file-layout", "flag")]


def test_files_outside_of_the_project_confirm_nothing(tidebook: House) -> None:
    secret = tidebook.home / "notes.md"
    secret.write_text("the routes", encoding="utf-8")
    (tidebook.project / "notes.md").symlink_to(secret)
    for words in ("../notes.md describes the routes", "notes.md describes the routes"):
        assert not find_project_facts(words, tidebook.project).facts


def test_hostile_texts_do_not_stall_it(tidebook: House) -> None:
    for hostile in ("a/" * 40_000, "`" * 80_000, "the routes are in " * 5_000, "aB" * 40_000):
        assert does_not_stall(lambda text=hostile: find_project_facts(text, tidebook.project))
