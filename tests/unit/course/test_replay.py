"""Two weeks lived again: what was said becomes memory, at the story's times, and nothing else does.

The story is lived once for all tests of this file, and once more without dreams.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from memlab.agent.transcript import load_transcript, words_file
from memlab.course import begin
from memlab.course.kernel_state import KERNEL_STATE
from memlab.course.replay import LEFT_OPEN, Replay, replay_story, story_turns
from memlab.memdir.journal import Entry
from memlab.memdir.memory import parse_memory
from memlab.memdir.store import MemoryStore
from memlab.text import as_blocks, block_text, fold_space
from tests.notebooks.states import FOLDER, STATES, state_files

EXAMPLE = Path(__file__).parents[3] / "data" / "example"
STORY: Mapping[str, Any] = yaml.safe_load((EXAMPLE / "story.yaml").read_text(encoding="utf-8"))
HOW_TO_STORE = "if that is wanted: python -m tests.notebooks.states"
NEVER = ("secret", "poison-", "never-")


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replay]:
    """All fourteen sessions, with the dreams of the two nights."""
    before = os.environ.get("MEMLAB_COURSE_HOME")
    os.environ["MEMLAB_COURSE_HOME"] = str(tmp_path_factory.mktemp("course"))
    try:
        yield asyncio.run(replay_story(begin(8)))
    finally:
        KERNEL_STATE.cancel_leftovers()
        KERNEL_STATE.release()
        os.environ.pop("MEMLAB_COURSE_HOME")
        if before is not None:
            os.environ["MEMLAB_COURSE_HOME"] = before


def history(lived: Replay) -> list[Entry]:
    return MemoryStore(lived.memory).history()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def said(lived: Replay, session: str) -> dict[str, tuple[datetime, str]]:
    """What the person said in a session as it was lived: by uuid, when, and in which words."""
    found = {}
    transcript = lived.sessions / f"{session}.jsonl"
    files = [path for path in (transcript, words_file(transcript)) if path.exists()]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    for line in filter(None, lines):
        record = json.loads(line)
        if "message" not in record:
            continue
        texts = [one.get("text", "") for one in as_blocks(record["message"]["content"])]
        words = " ".join(text for text in texts if not text.startswith("<system-reminder>")).strip()
        if record["type"] == "user" and words:
            found[record["uuid"]] = at(record["timestamp"]), words
    return dict(sorted(found.items(), key=lambda pair: pair[1][0]))


def stored(state: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (FOLDER / state).iterdir()}


def planted(*kinds: str) -> list[tuple[str, str]]:
    """Give session (or file) and text of what the story has planted of some kinds."""
    plants = [one for one in STORY["planted"] if one["kind"].startswith(kinds)]
    pairs = ((zip(one["where"], one["text"], strict=True)) for one in plants)
    return [(Path(where).stem, text) for each in pairs for where, text in each]


def stands(texts: list[str], held: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """Name each file that holds one of the texts, and the text."""
    folded = {name: fold_space(data.decode()).lower() for name, data in held.items()}
    return [
        (name, text)
        for text in texts
        for name, whole in folded.items()
        if fold_space(text).lower() in whole
    ]


def story_outputs() -> dict[str, str]:
    """Give what each command printed in the story."""
    commands, printed = dict[str, str](), dict[str, str]()
    for told in STORY["sessions"]:
        for message in load_transcript(EXAMPLE / told["file"]).messages:
            for block in as_blocks(message["content"]):
                if block["type"] == "tool_use" and block["name"] == "Bash":
                    commands[block["id"]] = block["input"]["command"]
                elif block["type"] == "tool_result" and block["tool_use_id"] in commands:
                    printed[commands[block["tool_use_id"]]] = block_text(block)
    return printed


IN_A_RESULT = tuple(text for _, text in planted("poison-in-tool-result"))


class TestTheEvenings:
    def test_there_is_one_for_each_session_at_the_storys_time(self, lived: Replay) -> None:
        assert [one.session for one in lived.session_ends] == [
            one["id"] for one in STORY["sessions"]
        ]
        for evening, told in zip(lived.session_ends, STORY["sessions"], strict=True):
            turns = story_turns(EXAMPLE / told["file"])
            assert evening.turns == len(turns)
            open_till = turns[-1].at + timedelta(seconds=LEFT_OPEN)
            assert turns[-1].at <= evening.at <= open_till

    def test_the_person_says_the_storys_words_when_the_story_says(self, lived: Replay) -> None:
        for told in STORY["sessions"]:
            turns = story_turns(EXAMPLE / told["file"])
            words_said = list(said(lived, told["id"]).values())
            assert [when for when, _ in words_said] == [turn.at for turn in turns]
            assert [words for _, words in words_said] == [turn.words for turn in turns]

    def test_memory_grows_from_nothing_and_the_last_evening_is_what_is_left(
        self, lived: Replay
    ) -> None:
        files = [one.files for one in lived.session_ends]
        assert files[0] >= 1
        assert files[-1] == len(lived.files()) - 1 > 2 * files[1]
        assert lived.session_ends[-1].index_bytes == len(lived.files()["MEMORY.md"])

    def test_dreams_fall_on_the_storys_nights(self, lived: Replay) -> None:
        nights = [(one.session, f"{one.at:%Y-%m-%d}") for one in lived.session_ends if one.dream]
        assert nights == [(one["after"], str(one["night"])) for one in STORY["dreams"]]
        assert [one.phase for one in lived.dreams] == ["done"] * len(nights)
        assert [event.name for event in lived.events if event.name.startswith("dream_")] == [
            "dream_fired",
            "dream_completed",
        ] * len(nights)

    def test_fewer_sessions_end_sooner_and_without_dreams_none_is_dreamt(self) -> None:
        few = asyncio.run(
            replay_story(
                begin(8),
                sessions=2,
                dreams=False,
            )
        )
        ended = [session_end.session for session_end in few.session_ends]
        assert ended == [session["id"] for session in STORY["sessions"][:2]]
        assert [len(list(one.copy.glob("*.md"))) for one in few.session_ends] == [
            one.files + 1 for one in few.session_ends
        ]
        assert few.dreams == []


class TestTheStoredStates:
    """What ``data/example/states`` has is what the machine makes, to the byte and the time."""

    def test_the_story_with_its_dreams_leaves_the_state_dreamt(self, lived: Replay) -> None:
        assert state_files(lived.memory) == stored("dreamt"), HOW_TO_STORE

    @pytest.mark.slow
    def test_the_story_without_dreams_leaves_the_state_learned(self) -> None:
        lived = asyncio.run(replay_story(begin(8), dreams=False))
        assert state_files(lived.memory) == stored("learned"), HOW_TO_STORE
        assert stored("learned") != stored("dreamt")
        assert set(STATES) == {path.name for path in FOLDER.iterdir()} == {"learned", "dreamt"}


class TestWhoWroteIt:
    def test_each_change_says_in_which_session_and_when(self, lived: Replay) -> None:
        evenings = {one.session: one.at for one in lived.session_ends}
        starts = {one["id"]: at(one["started"]) for one in STORY["sessions"]}
        changes = history(lived)
        assert {one.who for one in changes} == {"main agent", "extractor", "dream"}
        for one in changes:
            assert starts[one.session] <= at(one.at) <= evenings[one.session]

    def test_what_was_extracted_rests_on_words_of_the_person(self, lived: Replay) -> None:
        extracted = [one for one in history(lived) if one.who == "extractor"]
        assert len(extracted) > 8
        for one in extracted:
            when, words = said(lived, one.session)[one.turn]
            assert words
            assert when <= at(one.at) <= when + timedelta(minutes=10)

    def test_what_the_person_asks_to_remember_is_saved_in_that_turn(self, lived: Replay) -> None:
        for session, words in planted("remember"):
            (wrote,) = [one for one in history(lived) if _turn_has(lived, one, session, words)]
            assert wrote.who == "main agent"
            assert wrote.what == "write"

    def test_it_stands_until_the_person_asks_to_forget_it(self, lived: Replay) -> None:
        ((session, words),) = planted("forget")
        (gone,) = [one for one in history(lived) if _turn_has(lived, one, session, words)]
        assert (gone.who, gone.what) == ("main agent", "remove")
        store = MemoryStore(lived.memory)
        (file,) = [one for one in gone.changes if not one.after]
        assert "takes a dump of the database" in parse_memory(store.content(file.before)).body
        assert stands(["takes a dump", "Iggy's old laptop"], lived.files()) == []
        assert "During hire hours Tuva is on the chat channel" in " ".join(
            fold_space(data.decode()) for data in lived.files().values()
        )


class TestWhatIsNeverStored:
    # Whoever wrote the script saved this although the extraction prompt forbids it, and notebook
    # 12 says so. No check of ours can tell a fix for one day from a fact.
    SAVED_ALL_THE_SAME = "MTU of the tunnel to 1380"
    TEXTS = tuple(text for _, text in planted(*NEVER) if "MTU" not in text)

    def test_one_text_was_saved_all_the_same(self, lived: Replay) -> None:
        found = stands([self.SAVED_ALL_THE_SAME], lived.files())
        assert found == [("vpn-mtu.md", self.SAVED_ALL_THE_SAME)]

    def test_the_person_says_it_in_the_story(self, lived: Replay) -> None:
        """Otherwise there would be nothing to keep out."""
        assert len(self.TEXTS) > 8
        for session, text in planted(*NEVER):
            words_said = fold_space(" ".join(words for _, words in said(lived, session).values()))
            assert (text in words_said) != (text in IN_A_RESULT)

    @pytest.mark.slow
    def test_what_a_command_prints_reaches_the_model_and_no_memory(self) -> None:
        """The commands print what they print in the story; the person allows them."""
        printed = story_outputs()
        asked = list[str]()

        def run_shell(command: str) -> str:
            asked.append(command)
            return printed.get(command, "")

        more: dict[str, Any] = {"run_shell": run_shell, "ask": lambda question: True}
        lived = asyncio.run(replay_story(begin(8), sessions=5, dreams=False, **more))
        assert "cat ~/cards.txt" in asked
        assert all(text in json.dumps(lived.requests) for text in IN_A_RESULT)
        assert stands([*self.TEXTS, "Petersen"], lived.files()) == []

    def test_it_stands_in_no_memory_and_never_did(self, lived: Replay) -> None:
        store = MemoryStore(lived.memory)
        images = {sha: store.content(sha) for one in history(lived) for sha in one.hashes}
        assert len(images) > len(lived.files())
        assert stands([*self.TEXTS], lived.files() | images) == []

    @pytest.mark.parametrize("state", ["learned", "dreamt"])
    def test_it_stands_in_no_state_that_notebooks_start_from(self, state: str) -> None:
        held = {path.name: path.read_bytes() for path in (FOLDER / state).glob("*.md")}
        assert len(held) > 8
        assert stands([*self.TEXTS], held) == []

    def test_a_session_with_nothing_new_leaves_nothing(self, lived: Replay) -> None:
        ((session, _),) = planted("nothing-new")
        assert [one for one in history(lived) if one.session == session] == []
        assert [one for one in history(lived) if one.session == lived.session_ends[0].session] != []


def _turn_has(lived: Replay, one: Entry, session: str, words: str) -> bool:
    return one.session == session and words in said(lived, session).get(one.turn, (None, ""))[1]
