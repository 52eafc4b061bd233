"""Remember and forget in the offline main chat: real tool calls, from what the results say."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.agent.loop import Agent
from memlab.memdir.instructions import memory_section
from memlab.models.roles.wishes import find_wish
from tests.unit.agent.helpers import AgentSetup, run, text_of


@pytest.fixture
def setup(tmp_path: Path) -> AgentSetup:
    setup = AgentSetup(tmp_path / "home")
    setup.memory.mkdir(parents=True)
    return setup


def told(setup: AgentSetup, *texts: str) -> list[str]:
    """Say something to an agent with memory; give the last answer to each."""
    agent: Agent = setup.agent(system=memory_section(setup.memory, show=setup.context.show))
    said = []
    for text in texts:
        assert run(lambda text=text: agent.run_turn(text)).error == ""
        said.append(text_of(agent.messages[-1]))
    return said


def files(setup: AgentSetup) -> dict[str, str]:
    found = (path for path in setup.memory.glob("*.md") if path.name != "MEMORY.md")
    return {path.name: path.read_text("utf-8") for path in sorted(found)}


@pytest.mark.parametrize(
    ("words", "file", "kind"),
    [
        ("Remember that I take my coffee black.", "i-take-my-coffee-black.md", "user"),
        ("please remember: never deploy on Fridays", "never-deploy-on-fridays.md", "feedback"),
        ("Keep in mind that Maren leads the crew.", "maren-leads-the-crew.md", "project"),
        ("Don't forget the tracker is at wet-feet.", "the-tracker-is-at-wet-feet.md", "reference"),
    ],
)
def test_remember_writes_a_memory_in_the_persons_words(
    setup: AgentSetup, words: str, file: str, kind: str
) -> None:
    (said,) = told(setup, words)
    assert f"I saved that as {file}" in said
    assert f"type: {kind}\n" in files(setup)[file]


@pytest.mark.parametrize(
    "words", ["Do you remember me?", "Remember when we met?", "What do you remember?"]
)
def test_a_question_is_no_wish(setup: AgentSetup, words: str) -> None:
    assert "No screenplay holds these words" in told(setup, words)[0]
    assert files(setup) == {}


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        (
            "Fifteen lines I can read. Remember one thing: the dump runs every Tuesday night.",
            ("remember", "the dump runs every Tuesday night"),
        ),
        (
            "Trial done. Remember: Tuva is on the channel, mail she opens when it rains. Now, go.",
            ("remember", "Tuva is on the channel, mail she opens when it rains"),
        ),
        (
            "Leave it. By the way, forget what I said about the dump on the laptop. It fell off.",
            ("forget", "the dump on the laptop"),
        ),
        ("Remember that bug? It is back.", None),
        ("I cannot remember that. You forget too much.", None),
    ],
)
def test_a_wish_may_stand_in_the_middle_of_a_message(
    said: str, wish: tuple[str, str] | None
) -> None:
    assert find_wish(said) == wish


def test_a_date_that_a_check_asks_for_is_put_in(setup: AgentSetup) -> None:
    (said,) = told(setup, "Remember that the slipway closes tomorrow because of the regatta.")
    (text,) = files(setup).values()
    assert "the slipway closes on 2026-03-31" in text
    assert "**Why:** the regatta." in text
    assert "2026-03-31" in said


def test_told_again_the_same_file_is_brought_up_to_date(setup: AgentSetup) -> None:
    told(setup, "Remember that I take my coffee black.")
    told(setup, "Remember that I take my coffee black because milk disagrees with me.")
    (text,) = files(setup).values()
    assert "milk disagrees with me" in text


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("remember that the password is hunter2secret", "I keep no passwords"),
        ("remember that the code is in src/main.py", "What about it was surprising?"),
    ],
)
def test_what_is_never_stored_is_declined_with_a_question(
    setup: AgentSetup, words: str, answer: str
) -> None:
    assert answer in told(setup, words)[0]
    assert files(setup) == {}


def test_forget_finds_shows_and_drops_the_one_that_fits(setup: AgentSetup) -> None:
    told(setup, "Remember that I take my coffee black.", "Remember that Maren leads the crew.")
    (said,) = told(setup, "forget about the coffee")
    assert "I found i-take-my-coffee-black.md, “I take my coffee black”, and dropped it" in said
    assert list(files(setup)) == ["maren-leads-the-crew.md"]
    assert setup.context.store
    setup.context.store.undo()
    assert len(files(setup)) == 2


def test_forget_drops_nothing_where_nothing_or_more_than_one_fits(setup: AgentSetup) -> None:
    told(setup, "Remember that I take my tea black.", "Remember that I take my tea in the hut.")
    nothing, several = told(setup, "forget the zeppelins", "please forget my tea")
    assert "found nothing about that" in nothing
    assert "More than one memory fits: " in several
    assert len(files(setup)) == 2
    told(setup, "forget i-take-my-tea-black.md")
    assert len(files(setup)) == 1


def test_ignoring_memory_holds_until_it_is_taken_back(setup: AgentSetup) -> None:
    told(setup, "Remember that I take my coffee black.")
    before, _, after, _, again = told(
        setup, "coffee?", "Ignore memory.", "coffee?", "Use memory.", "coffee?"
    )
    assert "i-take-my-coffee-black.md says" in before
    assert "this request: none" in after
    assert "i-take-my-coffee-black.md says" in again


def test_without_a_memory_directory_it_is_a_plain_reply(setup: AgentSetup) -> None:
    agent = setup.agent()
    run(lambda: agent.run_turn("Remember that I take my coffee black."))
    assert "No screenplay holds these words" in text_of(agent.messages[-1])
