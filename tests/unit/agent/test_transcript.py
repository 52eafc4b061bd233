"""The transcript: written message by message, read back whatever happened to it."""

from __future__ import annotations

import json
import tracemalloc
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from memlab.agent import resume
from memlab.agent.resume import (
    BLOCK_BYTES,
    TranscriptError,
    find_transcript,
    load_transcript,
)
from memlab.agent.transcript import SessionState, Transcript
from memlab.clock import STORY_START, CourseClock
from memlab.models.request import find_fault
from memlab.text import as_blocks
from tests.unit.agent.helpers import AgentSetup, check_whole, results, run, text_of, use
from tests.work import calls

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
    def test_a_line_has_the_form_of_the_examples_sessions(self, setup: AgentSetup) -> None:
        transcript = setup.transcript()
        transcript.append("user", "Morning. I'm Robin.")
        setup.clock.advance(19)
        transcript.append("assistant", [{"type": "text", "text": "Morning."}])
        first, second = lines(transcript.path)
        like = lines(sorted(SESSIONS.glob("*.jsonl"))[0])[0]
        assert list(first) == list(like)
        assert first["message"] == {"role": "user", "content": "Morning. I'm Robin."}
        assert first["parentUuid"] is None
        assert second["parentUuid"] == first["uuid"]
        assert second["timestamp"] == "2026-03-30T09:00:19Z"
        assert first["sessionId"] == transcript.session == "session-1"

    @pytest.mark.behaviour("O2")
    def test_the_files_time_is_the_clocks(self, setup: AgentSetup) -> None:
        transcript = setup.transcript()
        setup.clock.advance(61.5)
        transcript.append("user", "x")
        moment = (STORY_START + timedelta(seconds=61.5)).timestamp()
        assert transcript.path.stat().st_mtime == moment

    @pytest.mark.behaviour("G2")
    def test_every_message_is_there_the_moment_it_exists(self, setup: AgentSetup) -> None:
        transcript = setup.transcript()
        for count in range(1, 4):
            transcript.append("user", "x")
            assert len(lines(transcript.path)) == count

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
        assert (second["model"], second["title"]) == (setup.settings.main_model, None)
        assert [path.name for path in document.parent.iterdir()] == ["session-1.json"]

    def test_a_full_disk_is_told_and_the_conversation_goes_on(
        self, setup: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        setup.plays({"Say hello.": ["Hello."], "Go on.": ["Gone on."]})
        agent = setup.agent(transcript=setup.transcript())
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
        self, setup: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        transcript = setup.transcript()
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
    def test_it_comes_back_as_it_was(self, setup: AgentSetup) -> None:
        setup.file("a.py", "x = 1\n")
        setup.plays(
            {"Read it.": [[use("Read", file_path="a.py")], "x is 1."], "Say hello.": ["Hello."]}
        )
        agent = setup.agent(transcript=setup.transcript())
        run(lambda: agent.run_turn("Read it."))
        loaded = load_transcript(setup.transcript().path)
        assert (list(loaded.messages), list(loaded.uuids)) == (agent.messages, agent.uuids)
        again = setup.agent(
            transcript=setup.transcript(parent=loaded.uuids[-1]), history=loaded, system="S" * 5_000
        )
        run(lambda: again.run_turn("Say hello."))
        check_whole(again)
        assert len(again.messages) == 6
        assert again.messages[:4] == agent.messages

    def test_a_file_read_before_has_to_be_read_again(self, setup: AgentSetup) -> None:
        setup.file("a.py", "x = 1\n")
        edit = use("Edit", file_path="a.py", old_string="1", new_string="2")
        setup.plays(
            {"Read it.": [[use("Read", file_path="a.py")], "x."], "Edit it.": [[edit], "y."]}
        )
        agent = setup.agent(transcript=setup.transcript())
        run(lambda: agent.run_turn("Read it."))
        setup.context.read_files = {}
        again = setup.agent(history=load_transcript(setup.transcript().path))
        run(lambda: again.run_turn("Edit it."))
        assert "has not been read" in results(again)[-1]["content"]

    @pytest.mark.behaviour("G2")
    @pytest.mark.parametrize("cut", [1, 40, 200])
    def test_a_torn_last_line_is_dropped_and_reported(self, setup: AgentSetup, cut: int) -> None:
        transcript = setup.transcript()
        kept = talk(transcript, 4)[:3]
        transcript.path.write_bytes(transcript.path.read_bytes()[: -1 - cut])
        loaded = load_transcript(transcript.path)
        assert list(loaded.uuids) == kept
        assert loaded.notes == ("the last line was torn, and is dropped",)
        again = setup.transcript(parent=loaded.uuids[-1])
        added = again.append("assistant", "on a line of its own")
        loaded = load_transcript(transcript.path)
        assert list(loaded.uuids) == [*kept, added]
        assert loaded.notes == ("1 unreadable lines are left out",)

    def test_a_whole_last_line_without_its_end_is_kept(self, setup: AgentSetup) -> None:
        transcript = setup.transcript()
        kept = talk(transcript, 4)
        transcript.path.write_bytes(transcript.path.read_bytes()[:-1])
        assert load_transcript(transcript.path).uuids == tuple(kept)
        added = setup.transcript(parent=kept[-1]).append("user", "next")
        assert load_transcript(transcript.path).uuids == (*kept, added)

    def test_from_another_directory(self, setup: AgentSetup) -> None:
        talk(setup.transcript("abc-1"), 2)
        path = find_transcript(setup.base, "abc-1")
        assert path == setup.sessions / "abc-1.jsonl"
        assert load_transcript(path, cwd="/home/robin/tidebook").notes == ()
        loaded = load_transcript(path, cwd="/home/robin/elsewhere")
        assert loaded.notes == ("the session was begun in /home/robin/tidebook",)

    @pytest.mark.parametrize("session", ["none", "../abc-1", "*", ""])
    def test_a_session_that_is_not_there(self, setup: AgentSetup, session: str) -> None:
        talk(setup.transcript("abc-1"), 2)
        with pytest.raises(TranscriptError, match="the newest are abc-1"):
            find_transcript(setup.base, session)

    def test_an_empty_and_a_senseless_file(self, setup: AgentSetup) -> None:
        path = setup.transcript().path
        for content in (b"", b"\n\n", b"[1]\n{}\nnull\n", b"\x00\xff\n" * 3):
            path.write_bytes(content)
            with pytest.raises(TranscriptError, match="'session-1' is damaged, because no line"):
                load_transcript(path)

    @pytest.mark.parametrize(
        "path", sorted(SESSIONS.glob("*.jsonl")), ids=lambda path: path.stem[:13]
    )
    def test_the_examples_sessions_can_be_gone_on_with(self, path: Path, setup: AgentSetup) -> None:
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

    def write(self, setup: AgentSetup, *rows: str) -> Path:
        path = setup.transcript().path
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return path

    def test_kinds_that_are_not_known_are_passed_over(self, setup: AgentSetup) -> None:
        call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
        also = {"type": "tool_use", "id": "t2", "name": "Grep", "input": {}}
        path = self.write(
            setup,
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

    def test_a_branch_that_was_left_is_not_gone_on_with(self, setup: AgentSetup) -> None:
        path = self.write(
            setup,
            record("a", None, "user", "One."),
            record("b", "a", "assistant", "Wrong turn."),
            record("c", "a", "assistant", "Right turn."),
        )
        assert load_transcript(path).uuids == ("a", "c")

    def test_an_older_form_without_names(self, setup: AgentSetup) -> None:
        path = self.write(
            setup,
            *(
                json.dumps({"uuid": name, "role": role, "content": "x"})
                for name, role in (("a", "user"), ("b", "assistant"), ("c", "user"))
            ),
        )
        assert load_transcript(path).uuids == ("a", "b", "c")

    def test_a_call_and_a_result_that_lost_each_other_become_text(self, setup: AgentSetup) -> None:
        call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
        stray = {"type": "tool_result", "tool_use_id": "t9", "content": "?"}
        path = self.write(
            setup,
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
    def test_content_of_another_kind_is_passed_over(self, setup: AgentSetup, content: Any) -> None:
        path = self.write(
            setup, record("a", None, "user", "Look."), record("b", "a", "assistant", content)
        )
        assert load_transcript(path).uuids == ("a",)

    def test_a_summary_is_where_reading_ends(self, setup: AgentSetup) -> None:
        transcript = setup.transcript()
        talk(transcript, 6)
        summary = transcript.append("user", "Summary.", summary=True)
        last = transcript.append("assistant", "Go on?")
        assert load_transcript(transcript.path).uuids == (summary, last)

    def test_a_chain_that_breaks_off_begins_with_the_person(self, setup: AgentSetup) -> None:
        path = self.write(
            setup,
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

    def test_only_the_newest_part_is_read(self, long: Path) -> None:
        tracemalloc.start()
        loaded = load_transcript(long)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        made = calls(lambda: load_transcript(long))
        size = long.stat().st_size / 1e6
        print(f"{size:.0f} MB: {len(loaded.messages)} messages, {made:,} calls, {peak:.1f} MB")
        assert loaded.notes == ("older messages are left out",)
        assert loaded.uuids[-1] == str(self.COUNT - 1)
        assert loaded.messages[0]["role"] == "user"
        assert 500 < len(loaded.messages) < 2_000
        assert made < self.COUNT, "not even one call for each line"
        assert peak < 15

    @pytest.mark.slow
    def test_a_chain_broken_near_the_end_is_looked_for_without_keeping_the_file(
        self, long: Path, tmp_path: Path
    ) -> None:
        path = tmp_path / "broken.jsonl"
        path.write_bytes(long.read_bytes())
        with path.open("a", encoding="utf-8") as target:
            target.write(record("last", "nowhere", "user", "Hello?") + "\n")
        tracemalloc.start()
        loaded = load_transcript(path)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        print(f"broken: {peak:.1f} MB")
        assert loaded.uuids == ("last",)
        assert peak < 5


def test_two_clocks_that_count_alike_do_not_confuse_a_chain(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    first = talk(Transcript(path, clock=CourseClock(), cwd="~"), 4)
    second = Transcript(path, clock=CourseClock(), cwd="~", parent=first[-1])
    talk(second, 4)
    assert len(load_transcript(path).messages) == 8


class TestOneHugeLine:
    """A line of 60 MB costs one pass over the file and hardly any memory."""

    SIZE = 60_000_000

    def loaded(self, path: Path) -> tuple[Any, float]:
        tracemalloc.start()
        loaded = load_transcript(path)
        peak = tracemalloc.get_traced_memory()[1] / 1e6
        tracemalloc.stop()
        return loaded, peak

    @pytest.mark.parametrize("place", ["last", "in the middle", "torn"])
    def test_it_is_left_out_and_the_chain_goes_on(self, setup: AgentSetup, place: str) -> None:
        transcript = setup.transcript()
        first = transcript.append("user", "Look.")
        transcript.append("assistant", "x" * self.SIZE)
        if place == "in the middle":
            last = transcript.append("user", "And now?")
            expected = (first, last)
        else:
            expected = (first,)
        if place == "torn":
            with transcript.path.open("rb+") as file:
                file.truncate(transcript.path.stat().st_size - 100)
        loaded, peak = self.loaded(transcript.path)
        assert loaded.uuids == expected
        assert loaded.notes == ("1 line longer than 4 MB is left out",)
        assert peak < 15

    def test_every_byte_is_read_a_fixed_number_of_times(
        self, setup: AgentSetup, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        transcript = setup.transcript(state=SessionState())
        transcript.append("user", "Look.")
        transcript.append("assistant", "x" * self.SIZE)
        size = transcript.path.stat().st_size
        read = handled = 0

        class Counted:
            def __init__(self, file: Any) -> None:
                self.file = file

            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: Any) -> None:
                self.file.close()

            def read(self, step: int) -> bytes:
                nonlocal read
                data = self.file.read(step)
                read += len(data)
                return bytes(data)

            def __getattr__(self, name: str) -> Any:
                return getattr(self.file, name)

        real_open, real_join = Path.open, resume._Pieces._joined

        def joined(pieces: Any) -> bytes:
            nonlocal handled
            data = real_join(pieces)
            handled += len(data)
            return data

        monkeypatch.setattr(Path, "open", lambda path, mode: Counted(real_open(path, mode)))
        monkeypatch.setattr(resume._Pieces, "_joined", joined)
        load_transcript(transcript.path)
        assert read <= 2 * size  # once more where the state is on the first line
        assert handled < size / 4  # bytes that were put together


BAD_BLOCKS: list[tuple[str, Any]] = [
    ("user", {"type": "text"}),
    ("user", {"type": "text", "text": "  "}),
    ("user", {"type": "text", "text": 3}),
    ("user", {"type": "banana"}),
    ("user", {"type": ["text"]}),
    ("user", {"type": "tool_use", "id": "t", "name": "Read", "input": {}}),
    ("user", {"type": "tool_result", "tool_use_id": ["t"], "content": "x"}),
    ("user", {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text"}]}),
    ("user", {"type": "image"}),
    ("assistant", {"type": "tool_use", "id": ["t"], "name": "Read", "input": {}}),
    ("assistant", {"type": "tool_use", "id": "t t", "name": "Read", "input": {}}),
    ("assistant", {"type": "tool_use", "id": "t", "name": None, "input": {}}),
    ("assistant", {"type": "tool_use", "id": "t", "name": "Read", "input": "x"}),
    ("assistant", {"type": "tool_result", "tool_use_id": "t", "content": "x"}),
    ("assistant", {"type": "thinking", "thinking": "x"}),
]


class TestWhatTheServiceWouldRefuse:
    @pytest.mark.parametrize(("role", "block"), BAD_BLOCKS)
    def test_it_is_dropped_and_the_rest_can_be_sent(
        self, setup: AgentSetup, role: str, block: Any
    ) -> None:
        path = setup.transcript().path
        good = {"type": "text", "text": "Go on."}
        rows = [
            record("a", None, "user", "Look."),
            record("b", "a", "assistant", [good, block] if role == "assistant" else "Yes."),
            record("c", "b", "user", [block, good] if role == "user" else "Go on."),
        ]
        path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        loaded = load_transcript(path)
        assert loaded.notes == ("1 block that the service would refuse is left out",)
        assert loaded.uuids == ("a", "b", "c")
        assert valid(loaded.messages)
        setup.plays({"Say hello.": ["Hello."]})
        agent = setup.agent(history=loaded)
        assert run(lambda: agent.run_turn("Say hello.")).text == "Hello."

    def test_half_a_character_is_replaced(self, setup: AgentSetup) -> None:
        path = setup.transcript().path
        row = record("a", None, "user", "half: X, whole: Y")
        path.write_text(row.replace("X", "\\ud83d").replace("Y", "\\ud83d\\ude00") + "\n")
        loaded = load_transcript(path)
        assert loaded.messages[0]["content"] == "half: ?, whole: 😀"

    def test_a_number_that_json_does_not_have_makes_a_line_unreadable(
        self, setup: AgentSetup
    ) -> None:
        path = setup.transcript().path
        row = record("b", "a", "user", [{"type": "text", "text": "x", "n": float("nan")}])
        path.write_text(f"{record('a', None, 'user', 'Look.')}\n{row}\n")
        assert load_transcript(path).uuids == ("a",)


class TestTwoWindows:
    def test_the_other_branch_is_said_to_be_left_out(self, setup: AgentSetup) -> None:
        begun = setup.transcript()
        first = talk(begun, 2)
        one, two = setup.transcript(parent=first[-1]), setup.transcript(parent=first[-1])
        one.append("user", "in one window")
        two.append("user", "in the other")
        assert "Another window writes to this session" in two.problem
        last = one.append("assistant", "Yes.")
        assert "Another window writes to this session" in one.problem
        loaded = load_transcript(begun.path)
        assert loaded.uuids[-1] == last
        assert len(loaded.uuids) == 4
        assert loaded.notes == (
            "1 message of another branch, not the one that was written last, is left out",
        )

    def test_what_was_taken_back_is_no_other_branch(self, setup: AgentSetup) -> None:
        transcript = setup.transcript()
        first = talk(transcript, 2)
        refused = transcript.append("user", "declined by the model")
        transcript.take_back(first[-1], [refused])
        transcript.append("user", "Again.")
        assert load_transcript(transcript.path).notes == ()

    def test_one_window_does_not_disturb_itself(self, setup: AgentSetup) -> None:
        transcript = setup.transcript(state=SessionState())
        ids = talk(transcript, 2)
        transcript.save_state(SessionState(mode="off", cursor=ids[-1]))
        transcript.off_record = True
        transcript.append("user", "x")
        transcript.take_off_record(ids[:1])
        transcript.append("assistant", "y")
        assert transcript.problem == ""


class TestStateRecords:
    def test_the_newest_counts_however_far_back_it_is(self, setup: AgentSetup) -> None:
        transcript = setup.transcript(state=SessionState())
        transcript.append("user", "x")
        transcript.save_state(SessionState(mode="off"))
        for _ in range(40):
            transcript.append("user", "y" * 20_000)
        loaded = load_transcript(transcript.path)
        assert loaded.notes == ("older messages are left out",)
        assert loaded.state == SessionState(mode="off")
        assert loaded.cursor == ""

    @pytest.mark.parametrize("pad", [0, 1, 7, 15, 16, 17, 18, 40])
    def test_wherever_the_blocks_begin(self, setup: AgentSetup, pad: int) -> None:
        transcript = setup.transcript(state=SessionState(mode="off"))
        transcript.append("user", "x")
        behind = transcript.path.stat().st_size - len(transcript.path.read_bytes().split(b"\n")[0])
        with transcript.path.open("ab") as file:
            file.write(b"z" * (BLOCK_BYTES - behind - pad) + b"\n")
        found = list(resume._state_lines_from_end(transcript.path))
        assert [json.loads(raw)["state"]["mode"] for raw in found] == ["off"]

    def test_a_session_without_any_counts_as_processed(self, setup: AgentSetup) -> None:
        last = talk(setup.transcript(), 4)[-1]
        loaded = load_transcript(setup.transcript().path)
        assert (loaded.state, loaded.cursor) == (None, last)

    def test_a_cursor_whose_message_is_dropped_still_counts(self, setup: AgentSetup) -> None:
        transcript = setup.transcript(state=SessionState())
        first = transcript.append("user", "Look.")
        dropped = transcript.append("assistant", [{"type": "text", "text": ""}])
        transcript.save_state(SessionState(cursor=dropped))
        transcript.append("user", "Go on.")
        assert load_transcript(transcript.path).cursor == first
