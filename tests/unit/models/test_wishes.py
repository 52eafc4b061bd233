"""Remember and forget in the offline main chat: real tool calls, from what the results say."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.agent.loop import Agent
from memlab.memdir.instructions import memory_section
from memlab.models.roles.wishes import find_wish
from tests.unit.agent.desk import Desk, run, text_of


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path / "home")
    desk.memory.mkdir(parents=True)
    return desk


def told(desk: Desk, *texts: str) -> list[str]:
    """Say something to an agent with memory; give the last answer to each."""
    agent: Agent = desk.agent(system=memory_section(desk.memory, show=desk.context.show))
    said = []
    for text in texts:
        assert run(lambda text=text: agent.run_turn(text)).error == ""
        said.append(text_of(agent.messages[-1]))
    return said


def files(desk: Desk) -> dict[str, str]:
    found = (path for path in desk.memory.glob("*.md") if path.name != "MEMORY.md")
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
    desk: Desk, words: str, file: str, kind: str
) -> None:
    (said,) = told(desk, words)
    assert f"I saved that as {file}" in said
    assert f"type: {kind}\n" in files(desk)[file]


@pytest.mark.parametrize(
    "words", ["Do you remember me?", "Remember when we met?", "What do you remember?"]
)
def test_a_question_is_no_wish(desk: Desk, words: str) -> None:
    assert "No screenplay holds these words" in told(desk, words)[0]
    assert files(desk) == {}


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


def test_a_date_that_a_check_asks_for_is_put_in(desk: Desk) -> None:
    (said,) = told(desk, "Remember that the slipway closes tomorrow because of the regatta.")
    (text,) = files(desk).values()
    assert "the slipway closes on 2026-03-31" in text
    assert "**Why:** the regatta." in text
    assert "2026-03-31" in said


def test_told_again_the_same_file_is_brought_up_to_date(desk: Desk) -> None:
    told(desk, "Remember that I take my coffee black.")
    told(desk, "Remember that I take my coffee black because milk disagrees with me.")
    (text,) = files(desk).values()
    assert "milk disagrees with me" in text


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("remember that the password is hunter2secret", "I keep no passwords"),
        ("remember that the code is in src/main.py", "What about it was surprising?"),
    ],
)
def test_what_is_never_stored_is_declined_with_a_question(
    desk: Desk, words: str, answer: str
) -> None:
    assert answer in told(desk, words)[0]
    assert files(desk) == {}


def test_forget_finds_shows_and_drops_the_one_that_fits(desk: Desk) -> None:
    told(desk, "Remember that I take my coffee black.", "Remember that Maren leads the crew.")
    (said,) = told(desk, "forget about the coffee")
    assert "I found i-take-my-coffee-black.md, “I take my coffee black”, and dropped it" in said
    assert list(files(desk)) == ["maren-leads-the-crew.md"]
    assert desk.context.store
    desk.context.store.undo()
    assert len(files(desk)) == 2


def test_forget_drops_nothing_where_nothing_or_more_than_one_fits(desk: Desk) -> None:
    told(desk, "Remember that I take my tea black.", "Remember that I take my tea in the hut.")
    nothing, several = told(desk, "forget the zeppelins", "please forget my tea")
    assert "found nothing about that" in nothing
    assert "More than one memory fits: " in several
    assert len(files(desk)) == 2
    told(desk, "forget i-take-my-tea-black.md")
    assert len(files(desk)) == 1


def test_ignoring_memory_holds_until_it_is_taken_back(desk: Desk) -> None:
    told(desk, "Remember that I take my coffee black.")
    before, _, after, _, again = told(
        desk, "coffee?", "Ignore memory.", "coffee?", "Use memory.", "coffee?"
    )
    assert "i-take-my-coffee-black.md says" in before
    assert "this request: none" in after
    assert "i-take-my-coffee-black.md says" in again


def test_without_a_memory_directory_it_is_a_plain_reply(desk: Desk) -> None:
    agent = desk.agent()
    run(lambda: agent.run_turn("Remember that I take my coffee black."))
    assert "No screenplay holds these words" in text_of(agent.messages[-1])
