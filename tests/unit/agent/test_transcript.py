"""The transcript: written message by message, read back whatever happened to it."""

from __future__ import annotations

import json
import time
import tracemalloc
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.resume import (
    TranscriptError,
    find_transcript,
    load_transcript,
)
from memlab.agent.transcript import Transcript
from memlab.clock import STORY_START, CourseClock
from memlab.offline.request import find_fault
from memlab.text import as_blocks
from tests.unit.agent.desk import Desk, check_whole, results, run, text_of, use

SESSIONS = Path(__file__).parents[3] / "data" / "example" / "sessions"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def talk(transcript: Transcript, count: int, size: int = 1) -> list[str]:
    return [
        transcript.append(("user", "assistant")[n % 2], [{"type": "text", "text": f"{n} " * size}])
        for n in range(count)
    ]


def valid(messages: Any) -> bool:
    return find_fault({"model": "m", "max_tokens": 1, "messages": list(messages)}) == ""


class TestWriting:
    def test_a_line_has_the_form_of_the_examples_sessions(self, desk: Desk) -> None:
        transcript = desk.transcript()
        transcript.append("user", "Morning. I'm Robin.")
        desk.clock.advance(19)
        transcript.append("assistant", [{"type": "text", "text": "Morning."}])
        first, second = lines(transcript.path)
        like = lines(sorted(SESSIONS.glob("*.jsonl"))[0])[0]
        assert list(first) == list(like)
        assert first["message"] == {"role": "user", "content": "Morning. I'm Robin."}
        assert first["parentUuid"] is None
        assert second["parentUuid"] == first["uuid"]
        assert second["timestamp"] == "2026-03-30T09:00:19Z"
        assert first["sessionId"] == transcript.session == "session-1"

    def test_the_files_time_is_the_clocks(self, desk: Desk) -> None:
        transcript = desk.transcript()
        desk.clock.advance(61.5)
        transcript.append("user", "x")
        moment = (STORY_START + timedelta(seconds=61.5)).timestamp()
        assert transcript.path.stat().st_mtime == moment

    def test_every_message_is_there_the_moment_it_exists(self, desk: Desk) -> None:
        transcript = desk.transcript()
        for count in range(1, 4):
            transcript.append("user", "x")
            assert len(lines(transcript.path)) == count

    def test_the_document_of_a_conversation(self, desk: Desk) -> None:
        desk.plays({"Say hello.": ["Hello."], "Go on.": ["Gone on."]})
        document = desk.base / "conversations" / "session-1.json"
        agent = desk.agent(transcript=desk.transcript(document=document))
        run(lambda: agent.run_turn("Say hello."))
        first = json.loads(document.read_text(encoding="utf-8"))
        desk.clock.advance(3_600)
        run(lambda: agent.run_turn("Go on."))
        second = json.loads(document.read_text(encoding="utf-8"))
        assert set(second) == {
            "id",
            "created_at",
            "updated_at",
            "messages",
            "model",
            "title",
            "working_dir",
        }
        assert second["messages"] == agent.messages
        assert second["created_at"] == first["created_at"] == "2026-03-30T09:00:00Z"
        assert second["updated_at"] > first["updated_at"]
        assert (second["model"], second["title"]) == (desk.settings.main_model, None)
        assert [path.name for path in document.parent.iterdir()] == ["session-1.json"]

    def test_a_full_disk_is_told_and_the_conversation_goes_on(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        desk.plays({"Say hello.": ["Hello."], "Go on.": ["Gone on."]})
        agent = desk.agent(transcript=desk.transcript())
        run(lambda: agent.run_turn("Say hello."))
        assert agent.transcript
        kept = agent.transcript.path.read_bytes()

        def full(path: Any, mode: str = "r", **more: Any) -> Any:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("memlab.agent.transcript.open", full, raising=False)
        result = run(lambda: agent.run_turn("Go on."))
        assert result.text == "Gone on."
        assert result.error == "The session cannot be written down: No space left on device."
        assert agent.transcript.path.read_bytes() == kept
        monkeypatch.undo()
        assert run(lambda: agent.run_turn("Say hello.")).error == ""
        loaded = load_transcript(agent.transcript.path)
        assert [as_blocks(one["content"])[0]["text"] for one in loaded.messages] == [
            "Say hello.",
            "Hello.",
        ] * 2

    def test_half_a_line_that_fitted_is_taken_off_again(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        transcript = desk.transcript()
        transcript.append("user", "whole")
        kept = transcript.path.read_bytes()

        class Nearly:
            def __init__(self, path: Any, mode: str, **more: Any) -> None:
                self.file = open(path, mode, **more)  # noqa: SIM115  (closed by __exit__)

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: Any) -> None:
                self.file.close()

            def write(self, data: bytes) -> int:
                return self.file.write(data[: len(data) // 2])

            def __getattr__(self, name: str) -> Any:
                return getattr(self.file, name)

        monkeypatch.setattr("memlab.agent.transcript.open", Nearly, raising=False)
        transcript.append("assistant", "lost")
        assert "No space left" in transcript.problem
        assert transcript.path.read_bytes() == kept


class TestResuming:
    def test_it_comes_back_as_it_was(self, desk: Desk) -> None:
        desk.file("a.py", "x = 1\n")
        desk.plays(
            {"Read it.": [[use("Read", file_path="a.py")], "x is 1."], "Say hello.": ["Hello."]}
        )
        agent = desk.agent(transcript=desk.transcript())
        run(lambda: agent.run_turn("Read it."))
        loaded = load_transcript(desk.transcript().path)
        assert (list(loaded.messages), list(loaded.uuids)) == (agent.messages, agent.uuids)
        again = desk.agent(
            transcript=desk.transcript(parent=loaded.uuids[-1]), history=loaded, system="S" * 5_000
        )
        run(lambda: again.run_turn("Say hello."))
        check_whole(again)
        assert len(again.messages) == 6
        assert again.messages[:4] == agent.messages

    def test_a_file_read_before_has_to_be_read_again(self, desk: Desk) -> None:
        desk.file("a.py", "x = 1\n")
        edit = use("Edit", file_path="a.py", old_string="1", new_string="2")
        desk.plays(
            {"Read it.": [[use("Read", file_path="a.py")], "x."], "Edit it.": [[edit], "y."]}
        )
        agent = desk.agent(transcript=desk.transcript())
        run(lambda: agent.run_turn("Read it."))
        desk.context.read_files = {}
        again = desk.agent(history=load_transcript(desk.transcript().path))
        run(lambda: again.run_turn("Edit it."))
        assert "has not been read" in results(again)[-1]["content"]

    @pytest.mark.parametrize("cut", [1, 40, 200])
    def test_a_torn_last_line_is_dropped_and_reported(self, desk: Desk, cut: int) -> None:
        transcript = desk.transcript()
        kept = talk(transcript, 4)[:3]
        transcript.path.write_bytes(transcript.path.read_bytes()[: -1 - cut])
        loaded = load_transcript(transcript.path)
        assert list(loaded.uuids) == kept
        assert loaded.notes == ("the last line was torn, and is dropped",)
        again = desk.transcript(parent=loaded.uuids[-1])
        added = again.append("assistant", "on a line of its own")
        loaded = load_transcript(transcript.path)
        assert list(loaded.uuids) == [*kept, added]
        assert loaded.notes == ("1 unreadable lines are left out",)

    def test_a_whole_last_line_without_its_end_is_kept(self, desk: Desk) -> None:
        transcript = desk.transcript()
        kept = talk(transcript, 4)
        transcript.path.write_bytes(transcript.path.read_bytes()[:-1])
        assert load_transcript(transcript.path).uuids == tuple(kept)
        added = desk.transcript(parent=kept[-1]).append("user", "next")
        assert load_transcript(transcript.path).uuids == (*kept, added)

    def test_from_another_directory(self, desk: Desk) -> None:
        talk(desk.transcript("abc-1"), 2)
        path = find_transcript(desk.base, "abc-1")
        assert path == desk.sessions / "abc-1.jsonl"
        assert load_transcript(path, cwd="/home/robin/tidebook").notes == ()
        loaded = load_transcript(path, cwd="/home/robin/elsewhere")
        assert loaded.notes == ("the session was begun in /home/robin/tidebook",)

    @pytest.mark.parametrize("session", ["none", "../abc-1", "*", ""])
    def test_a_session_that_is_not_there(self, desk: Desk, session: str) -> None:
        talk(desk.transcript("abc-1"), 2)
        with pytest.raises(TranscriptError, match="The newest are: abc-1"):
            find_transcript(desk.base, session)

    def test_an_empty_and_a_senseless_file(self, desk: Desk) -> None:
        path = desk.transcript().path
        for content in (b"", b"\n\n", b"[1]\n{}\nnull\n", b"\x00\xff\n" * 3):
            path.write_bytes(content)
            assert load_transcript(path).messages == ()

    @pytest.mark.parametrize(
        "path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda path: path.stem[:13]
    )
    def test_the_examples_sessions_can_be_gone_on_with(self, path: Path, desk: Desk) -> None:
        loaded = load_transcript(path)
        assert len(loaded.messages) == len(lines(path))
        assert loaded.notes == ()
        assert valid(loaded.messages)


def record(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> str:
    message = {"id": "msg_1", "role": role, "content": content, "usage": {"input_tokens": 3}}
    line = {"parentUuid": parent, "type": role, "message": message, "uuid": uuid, **more}
    return json.dumps(line | {"version": "2.1.197", "userType": "external"})


class TestOtherVersions:
    """As another program writes them: more kinds of lines, one block a line, and side chains."""

    def write(self, desk: Desk, *rows: str) -> Path:
        path = desk.transcript().path
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return path

    def test_kinds_that_are_not_known_are_passed_over(self, desk: Desk) -> None:
        call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
        also = {"type": "tool_use", "id": "t2", "name": "Grep", "input": {}}
        path = self.write(
            desk,
            json.dumps({"type": "summary", "summary": "Kayaks", "leafUuid": "g"}),
            record("a", None, "user", "Look."),
            record("s", "a", "assistant", "a side remark", isSidechain=True),
            record("b", "a", "assistant", [{"type": "text", "text": "I look."}]),
            record("c", "b", "assistant", [call]),
            record("d", "c", "assistant", [also]),
            json.dumps({"type": "attachment", "uuid": "e", "parentUuid": "d"}),
            record(
                "f", "e", "user", [{"type": "tool_result", "tool_use_id": "t1", "content": "1"}]
            ),
            record(
                "g", "f", "user", [{"type": "tool_result", "tool_use_id": "t2", "content": "2"}]
            ),
            json.dumps({"type": "file-history-snapshot", "messageId": "g"}),
        )
        loaded = load_transcript(path)
        assert loaded.uuids == ("a", "b", "c", "d", "f", "g")
        assert valid(loaded.messages)
        assert loaded.notes == ()
        assert "a side remark" not in str(loaded.messages)
        assert '"content": "2"' in text_of(loaded.messages[-1])

    def test_a_branch_that_was_left_is_not_gone_on_with(self, desk: Desk) -> None:
        path = self.write(
            desk,
            record("a", None, "user", "One."),
            record("b", "a", "assistant", "Wrong turn."),
            record("c", "a", "assistant", "Right turn."),
        )
        assert load_transcript(path).uuids == ("a", "c")

    def test_an_older_form_without_names(self, desk: Desk) -> None:
        path = self.write(
            desk,
            *(
                json.dumps({"uuid": name, "role": role, "content": "x"})
                for name, role in (("a", "user"), ("b", "assistant"), ("c", "user"))
            ),
        )
        assert load_transcript(path).uuids == ("a", "b", "c")

    def test_a_call_and_a_result_that_lost_each_other_become_text(self, desk: Desk) -> None:
        call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
        stray = {"type": "tool_result", "tool_use_id": "t9", "content": "?"}
        path = self.write(
            desk,
            record("a", None, "user", "Look."),
            record("b", "a", "assistant", [call]),
            record("c", "b", "user", "Are you there?"),
            record("d", "c", "assistant", "Yes."),
            record("e", "d", "user", [stray]),
        )
        loaded = load_transcript(path)
        assert valid(loaded.messages)
        assert '"name": "Read"' in text_of(loaded.messages[1])
        assert '"tool_use_id": "t9"' in text_of(loaded.messages[4])

    @pytest.mark.parametrize("content", [3, [], [3], "", None, {"a": 1}, [{"text": "x"}]])
    def test_content_of_another_kind_is_passed_over(self, desk: Desk, content: Any) -> None:
        path = self.write(
            desk, record("a", None, "user", "Look."), record("b", "a", "assistant", content)
        )
        assert load_transcript(path).uuids == ("a",)

    def test_a_summary_is_where_reading_ends(self, desk: Desk) -> None:
        transcript = desk.transcript()
        talk(transcript, 6)
        summary = transcript.append("user", "Summary.", summary=True)
        last = transcript.append("assistant", "Go on?")
        assert load_transcript(transcript.path).uuids == (summary, last)

    def test_a_chain_that_breaks_off_begins_with_the_person(self, desk: Desk) -> None:
        path = self.write(
            desk,
            record("b", "lost", "assistant", "Half a thought."),
            record("c", "b", "user", "Go on."),
        )
        assert load_transcript(path).uuids == ("c",)


class TestLong:
    """A hundred thousand lines cost no more than the part that is needed."""

    COUNT = 100_000

    @pytest.fixture(scope="class")
    @classmethod
    def long(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        path = tmp_path_factory.mktemp("long") / "long.jsonl"
        text = {"type": "text", "text": "The tide turns. " * 20}
        with path.open("w", encoding="utf-8") as target:
            for number in range(cls.COUNT):
                role = ("user", "assistant")[number % 2]
                parent = str(number - 1) if number else None
                target.write(record(str(number), parent, role, [text]) + "\n")
        return path

    def measured(self, path: Path) -> tuple[Any, float, float]:
        load_transcript(path)
        began = time.perf_counter()
        loaded = load_transcript(path)
        seconds = time.perf_counter() - began
        tracemalloc.start()
        load_transcript(path)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        return loaded, seconds, peak

    def test_only_the_newest_part_is_read(self, long: Path) -> None:
        loaded, seconds, peak = self.measured(long)
        size = long.stat().st_size / 1e6
        print(f"{size:.0f} MB: {len(loaded.messages)} messages, {seconds:.3f} s, {peak:.1f} MB")
        assert loaded.notes == ("older messages are left out",)
        assert loaded.uuids[-1] == str(self.COUNT - 1)
        assert loaded.messages[0]["role"] == "user"
        assert 500 < len(loaded.messages) < 2_000
        assert seconds < 1
        assert peak < 15

    @pytest.mark.slow
    def test_a_chain_broken_near_the_end_is_looked_for_without_keeping_the_file(
        self, long: Path, tmp_path: Path
    ) -> None:
        path = tmp_path / "broken.jsonl"
        path.write_bytes(long.read_bytes())
        with path.open("a", encoding="utf-8") as target:
            target.write(record("last", "nowhere", "user", "Hello?") + "\n")
        loaded, seconds, peak = self.measured(path)
        print(f"broken: {seconds:.2f} s, {peak:.1f} MB")
        assert loaded.uuids == ("last",)
        assert peak < 5


def test_two_clocks_that_count_alike_do_not_confuse_a_chain(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = talk(Transcript(path, clock=CourseClock(), cwd="~"), 4)
    second = Transcript(path, clock=CourseClock(), cwd="~", parent=first[-1])
    talk(second, 4)
    assert len(load_transcript(path).messages) == 8
