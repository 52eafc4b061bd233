"""The transcript: written message by message, read back whatever happened to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.session import find_transcript
from memlab.agent.transcript import (
    SessionState,
    Transcript,
    TranscriptError,
    load_transcript,
    words_file,
)
from memlab.clock import STORY_START, CourseClock
from memlab.memdir.folder import Folder
from memlab.models.request import find_fault
from tests.unit.agent.helpers import AgentSetup, check_whole, results, run, use

LEFT_OUT = "left out are lines of another branch, or that cannot be read: {}"
SESSIONS = Path(__file__).parents[3] / "data" / "example" / "sessions"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def talk(transcript: Transcript, count: int, words: str = "") -> list[str]:
    return [transcript.append(("user", "assistant")[n % 2], f"{n} {words}") for n in range(count)]


def record(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> str:
    """A line as another program writes it."""
    message = {"id": "msg_1", "role": role, "content": content, "usage": {"input_tokens": 3}}
    line = {"parentUuid": parent, "type": role, "message": message, "uuid": uuid, **more}
    return json.dumps(line | {"version": "2.1.197", "userType": "external"})


class TestWriting:
    @pytest.mark.behaviour("O2")
    def test_a_line_has_the_form_of_the_examples_sessions_and_the_clocks_time(
        self, setup: AgentSetup
    ) -> None:
        transcript = setup.transcript()
        transcript.append("user", "Morning. I'm Robin.")
        setup.clock.advance(19.5)
        transcript.append("assistant", [{"type": "text", "text": "Morning."}])
        first, second = lines(transcript.path)
        assert list(first) == list(lines(sorted(SESSIONS.glob("*.jsonl"))[0])[0])
        assert first["message"] == {"role": "user", "content": "Morning. I'm Robin."}
        assert first["parentUuid"] is None
        assert second["parentUuid"] == first["uuid"]
        assert second["timestamp"] == "2026-03-30T09:00:19Z"
        moment = STORY_START + timedelta(seconds=19.5)
        assert transcript.path.stat().st_mtime == moment.timestamp()
        assert transcript.times[second["uuid"]] == STORY_START + timedelta(seconds=19)

    @pytest.mark.behaviour("G2")
    def test_the_document_of_a_conversation(self, setup: AgentSetup) -> None:
        setup.plays({"Say hello.": ["Hello."], "Go on.": ["Gone on."]})
        document = setup.base / "conversations" / "session-1.json"
        agent = setup.agent(transcript=setup.transcript(document=document))
        run(lambda: agent.run_turn("Say hello."))
        first = json.loads(document.read_text(encoding="utf-8"))
        setup.clock.advance(3_600)
        run(lambda: agent.run_turn("Go on."))
        second = json.loads(document.read_text(encoding="utf-8"))
        assert second["messages"] == agent.messages
        assert second["created_at"] == first["created_at"] == "2026-03-30T09:00:00Z"
        assert second["updated_at"] > first["updated_at"]
        assert second["model"] == setup.settings.main_model
        assert [path.name for path in document.parent.iterdir()] == ["session-1.json"]

    def test_the_title_is_what_was_said_first_on_the_record(self, setup: AgentSetup) -> None:
        transcript = setup.transcript(document=setup.base / "conversations" / "session-1.json")
        transcript.off_record = True
        transcript.append("user", "My secret.")
        transcript.off_record = False
        transcript.append("user", "Please look  at\nthe board. " + "And so on. " * 20)
        transcript.save_document([], "m")
        assert setup.transcript().title == transcript.title
        assert transcript.document
        title = json.loads(transcript.document.read_text())["title"]
        assert title == transcript.title
        assert title.startswith("Please look at the board. And so on.")
        assert len(title) <= 60

    def test_a_full_disk_is_told_and_the_conversation_goes_on(
        self, setup: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        setup.plays({"Say hello.": ["Hello."], "Go on.": ["Gone on."]})
        agent = setup.agent(transcript=setup.transcript())
        run(lambda: agent.run_turn("Say hello."))
        assert agent.transcript
        kept = agent.transcript.path.read_bytes()

        def full(*given: Any, **more: Any) -> Any:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Folder, "append", full)
        result = run(lambda: agent.run_turn("Go on."))
        assert result.text == "Gone on."
        assert result.error == "The session cannot be written down: No space left on device."
        assert agent.transcript.path.read_bytes() == kept
        monkeypatch.undo()
        assert run(lambda: agent.run_turn("Say hello.")).error == ""
        assert len(load_transcript(agent.transcript.path).messages) == 4


class TestResuming:
    def test_it_comes_back_as_it_was(self, setup: AgentSetup) -> None:
        setup.file("a.py", "x = 1\n")
        edit = use("Edit", file_path="a.py", old_string="1", new_string="2")
        setup.plays(
            {"Read it.": [[use("Read", file_path="a.py")], "x is 1."], "Edit it.": [[edit], "y."]}
        )
        agent = setup.agent(transcript=setup.transcript())
        run(lambda: agent.run_turn("Read it."))
        loaded = load_transcript(setup.transcript().path)
        assert (list(loaded.messages), list(loaded.uuids)) == (agent.messages, agent.uuids)
        setup.context.read_files = {}
        again = setup.agent(transcript=setup.transcript(parent=loaded.newest), history=loaded)
        run(lambda: again.run_turn("Edit it."))
        check_whole(again)
        assert again.messages[:4] == agent.messages
        assert "has not been read" in results(again)[-1]["content"]

    @pytest.mark.behaviour("G2")
    @pytest.mark.parametrize("cut", [1, 40, 200])
    def test_a_torn_last_line_is_dropped_and_reported(self, setup: AgentSetup, cut: int) -> None:
        transcript = setup.transcript()
        kept = talk(transcript, 4)[:3]
        transcript.path.write_bytes(transcript.path.read_bytes()[: -1 - cut])
        loaded = load_transcript(transcript.path)
        assert list(loaded.uuids) == kept
        assert loaded.notes == ["the last line was torn, and is dropped"]
        added = setup.transcript(parent=loaded.newest).append("assistant", "a line of its own")
        loaded = load_transcript(transcript.path)
        assert list(loaded.uuids) == [*kept, added]
        assert loaded.notes == []

    def test_a_whole_last_line_without_its_end_is_kept(self, setup: AgentSetup) -> None:
        transcript = setup.transcript()
        kept = talk(transcript, 4)
        transcript.path.write_bytes(transcript.path.read_bytes()[:-1])
        added = setup.transcript(parent=kept[-1]).append("user", "next")
        assert load_transcript(transcript.path).uuids == (*kept, added)

    @pytest.mark.parametrize("session", ["none", "../one", "*", ""])
    def test_a_session_that_is_not_there(self, setup: AgentSetup, session: str) -> None:
        for name in ("one", "two"):
            transcript = setup.transcript(name)
            transcript.off_record = name == "two"
            talk(transcript, 2)
            assert find_transcript(setup.base, name) == transcript.path
            assert find_transcript(setup.base, name[:2]) == transcript.path
        with pytest.raises(TranscriptError, match=r"The newest: one$"):
            find_transcript(setup.base, session)

    def test_an_empty_and_a_senseless_file(self, setup: AgentSetup) -> None:
        path = setup.transcript().path
        path.parent.mkdir(parents=True)
        for content in (b"", b"\n\n", b"[1]\n{}\nnull\n", b"\x00\xff\n" * 3):
            path.write_bytes(content)
            with pytest.raises(TranscriptError, match="this is not a session"):
                load_transcript(path)

    @pytest.mark.parametrize(
        "path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda path: path.stem[:13]
    )
    def test_the_examples_sessions_can_be_gone_on_with(self, path: Path) -> None:
        loaded = load_transcript(path)
        assert len(loaded.messages) == len(lines(path))
        assert loaded.notes == []
        body = {"model": "m", "max_tokens": 1, "messages": list(loaded.messages)}
        assert find_fault(body) == ""

    def test_another_programs_session(self, setup: AgentSetup) -> None:
        rows = [
            json.dumps({"type": "summary", "summary": "Kayaks", "leafUuid": "g"}),
            record("a", None, "user", "Look."),
            record("s", "a", "assistant", "a side remark", isSidechain=True),
            record("b", "a", "assistant", [{"type": "text", "text": "I look."}]),
            record("x", "b", "user", "Wrong turn."),
            json.dumps({"type": "attachment", "uuid": "e", "parentUuid": "b"}),
            record("c", "e", "user", "Right turn."),
            json.dumps({"type": "file-history-snapshot", "messageId": "g"}),
        ]
        path = setup.transcript().path
        path.parent.mkdir(parents=True)
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        loaded = load_transcript(path)
        assert loaded.uuids == ("a", "b", "c")
        assert loaded.messages[0] == {"role": "user", "content": "Look."}
        assert loaded.notes == [LEFT_OUT.format(1)]
        # nobody knows what was switched off, so nothing of it is looked at again
        assert loaded.state == SessionState(cursor="c")

    def test_what_was_taken_back_is_gone_and_no_branch(self, setup: AgentSetup) -> None:
        transcript = setup.transcript()
        first = talk(transcript, 2)
        refused = transcript.append("user", "declined by the model")
        transcript.take_back(first[-1], [refused])
        again = transcript.append("user", "Again.")
        loaded = load_transcript(transcript.path)
        assert (loaded.uuids, loaded.notes) == ((*first, again), [])

    def test_the_newest_state_counts(self, setup: AgentSetup) -> None:
        transcript = setup.transcript(project={"root": "~/tidebook"})
        last = talk(transcript, 2)[-1]
        state = SessionState(mode="off", cursor=last, notes_cursor=last)
        before = transcript.path.stat().st_mtime_ns
        setup.clock.advance(60)
        transcript.save_state(state)
        assert transcript.path.stat().st_mtime_ns == before
        transcript.append("user", "x")
        assert load_transcript(transcript.path).state == state
        assert load_transcript(transcript.path).project["root"] == "~/tidebook"

    def test_clocks_that_count_alike_do_not_confuse_a_chain(self, tmp_path: Path) -> None:
        path = tmp_path / "base" / "projects" / "-p" / "s.jsonl"
        first = talk(Transcript(path, clock=CourseClock(), cwd="~"), 4)
        talk(Transcript(path, clock=CourseClock(), cwd="~", parent=first[-1]), 4)
        assert len(load_transcript(path).messages) == 8


class TestOffTheRecord:
    def begun(self, setup: AgentSetup) -> tuple[Transcript, list[str]]:
        transcript = setup.transcript()
        ids = [transcript.append("user", "sesame"), transcript.append("assistant", "With sesame.")]
        return transcript, [*ids, *talk(transcript, 2, "tea")]

    def test_an_exchange_leaves_the_file_and_can_be_resumed_with(self, setup: AgentSetup) -> None:
        transcript, ids = self.begun(setup)
        mtime, whole = transcript.path.stat().st_mtime_ns, load_transcript(transcript.path)
        notes = transcript.path.parent / "session-memory" / "session-1" / "memory.md"
        notes.parent.mkdir(parents=True)
        notes.write_text("Likes sesame.")
        setup.clock.advance(60)
        for _ in range(2):
            transcript.take_off_record(ids[:1])
            assert transcript.off_record_ids == set(ids[:2])
            assert b"sesame" not in transcript.path.read_bytes()
            assert b"tea" in transcript.path.read_bytes()
            assert transcript.path.stat().st_mtime_ns == mtime
        assert words_file(transcript.path).read_bytes().count(b"With sesame.") == 1
        assert not notes.exists()
        loaded = load_transcript(transcript.path)
        assert loaded.messages == whole.messages
        assert loaded.off_record == set(ids[:2])

    def test_words_that_the_person_deleted_leave_a_gap(self, setup: AgentSetup) -> None:
        transcript, ids = self.begun(setup)
        transcript.take_off_record(ids[:1])
        words_file(transcript.path).unlink()
        loaded = load_transcript(transcript.path)
        assert loaded.uuids == tuple(ids)
        assert "sesame" not in str(loaded)

    def test_a_torn_line_goes_with_its_exchange(self, setup: AgentSetup) -> None:
        transcript, ids = self.begun(setup)
        data = transcript.path.read_bytes().replace(b'sesame."}}\n', b"sesame.\n")
        transcript.path.write_bytes(data)
        assert b"sesame.\n" in data
        transcript.take_off_record(ids[:1])
        assert b"sesame" not in transcript.path.read_bytes()

    def test_killed_in_the_middle_it_is_done_by_the_next_one(
        self, setup: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        transcript, ids = self.begun(setup)
        whole = load_transcript(transcript.path).messages

        def killed(*given: Any, **more: Any) -> Any:
            raise KeyboardInterrupt

        monkeypatch.setattr(Folder, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            transcript.take_off_record(ids[:1])
        monkeypatch.undo()
        assert b"sesame" in transcript.path.read_bytes()
        loaded = load_transcript(transcript.path)
        assert (loaded.messages, loaded.off_record) == (whole, set(ids[:2]))
        assert setup.transcript().off_record_ids == set(ids[:2])
        assert b"sesame" not in transcript.path.read_bytes()
        assert load_transcript(transcript.path).messages == whole

    def test_what_version_0_2_only_noted_is_done(self, setup: AgentSetup) -> None:
        transcript, ids = self.begun(setup)
        state = {"mode": "full", "cursor": "", "declined": ids[:1]}
        with transcript.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": "state", "uuid": None, "state": state}) + "\n")
        assert setup.transcript().off_record_ids == set(ids[:2])
        assert b"sesame" not in transcript.path.read_bytes()
        assert load_transcript(transcript.path).state == SessionState()

    def test_what_is_added_at_the_same_time_stays(self, setup: AgentSetup) -> None:
        """Another process forgets message after message while this one is written."""
        transcript = setup.transcript()
        ids = talk(transcript, 40, "sesame")
        program = (
            "import sys; from pathlib import Path; from memlab.agent.transcript import *\n"
            "for uuid in sys.argv[2:]: take_off_record(Path(sys.argv[1]), [uuid])"
        )
        command = [sys.executable, "-c", program, str(transcript.path), *ids]
        with subprocess.Popen(command, env=os.environ) as other:
            added = []
            while other.poll() is None or not added:
                added += talk(transcript, 2, "tea")
        assert other.returncode == 0
        loaded = load_transcript(transcript.path)
        assert loaded.uuids == (*ids, *added)
        assert b"sesame" not in transcript.path.read_bytes()
        assert loaded.off_record == set(ids)
