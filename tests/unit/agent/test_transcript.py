"""The transcript: written message by message, read back whatever happened to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.agent.compaction import replacement
from memlab.agent.session import find_transcript
from memlab.agent.transcript import SessionState, TranscriptError, words_file
from memlab.agent.transcript import load_transcript as load
from memlab.clock import STORY_START, CourseClock
from memlab.memdir.folder import Folder
from tests.house import House, run
from tests.platforms import needs_pipes, needs_posix

Patch = pytest.MonkeyPatch
SESSIONS = sorted((Path(__file__).parents[3] / "data/example/sessions").glob("*.jsonl"))
ODD = 'a \n\r\u2028\0\x1f"\\{é🛶\ud800'


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def chat(transcript: Any, count: int, words: str = "") -> list[str]:
    roles = ["user", "assistant"] * count
    return [transcript.append(roles[n], f"{n} {words}") for n in range(count)]


@pytest.mark.behaviour("O2")
def test_a_line_is_of_the_examples_form(house: House) -> None:
    transcript = house.transcript()
    transcript.append("user", "Morning. I'm Robin.")
    house.clock.advance(19.5)
    transcript.append("assistant", [{"type": "text", "text": ODD}])
    first, second = lines(transcript.path)
    assert list(first) == list(lines(SESSIONS[0])[0])
    assert first["message"] == {"role": "user", "content": "Morning. I'm Robin."}
    assert (first["parentUuid"], second["parentUuid"]) == (None, first["uuid"])
    assert second["timestamp"] == "2026-03-30T09:00:19Z"
    moment = (STORY_START + timedelta(seconds=19.5)).timestamp()
    assert transcript.path.stat().st_mtime == moment
    loaded = load(transcript.path).messages[1]["content"][0]["text"]
    assert loaded == ODD.replace("\ud800", "?")


@pytest.mark.behaviour("G2")
def test_the_document_and_a_full_disk(house: House, monkeypatch: Patch) -> None:
    document = house.base / "session-1.json"
    transcript = house.transcript(document=document)
    agent = house.agent(transcript=transcript)
    transcript.off_record = True
    run(agent.run_turn("My secret."))
    transcript.off_record = False
    house.clock.advance(3_600)
    run(agent.run_turn("Please look  at\nthe board. " + "And so on. " * 20))
    saved = json.loads(document.read_text("utf-8"))
    title = saved.pop("title")
    assert (title[:31], len(title) <= 60) == ("Please look at the board. And s", True)
    times = {"created_at": "2026-03-30T09:00:00Z", "updated_at": "2026-03-30T10:00:00Z"}
    more = {"working_dir": "/home/robin/tidebook", "model": house.settings.main_model}
    more |= {"id": "session-1", "messages": agent.messages}
    assert saved | times | more == saved
    kept = transcript.path.read_bytes()
    with monkeypatch.context() as full:
        broken = mock.Mock(side_effect=OSError(28, "No space left"))
        full.setattr(Folder, "append", broken)
        result = run(agent.run_turn("Go on."))
    assert (bool(result.text), "No space left" in result.error) == (True, True)
    assert transcript.path.read_bytes() == kept
    assert run(agent.run_turn("Go on.")).error == ""
    assert len(load(transcript.path).messages) == 6


@pytest.mark.behaviour("G2")
@pytest.mark.parametrize("cut", [1, 2, 40, 200])
def test_resumed_it_is_as_it_was_but_for_a_torn_line(house: House, cut: int) -> None:
    transcript = house.transcript(project={"root": "~/tidebook"})
    ids = chat(transcript, 4)
    transcript.take_back(ids[-1], [transcript.append("user", "declined by the model")])
    state = SessionState(mode="off", cursor=ids[2], notes_cursor=ids[1])
    transcript.save_state(state)
    ids.append(transcript.append("user", "last"))
    transcript.path.write_bytes(transcript.path.read_bytes()[:-cut])
    kept = ids if cut == 1 else ids[:-1]  # without its end the line is whole
    loaded = load(transcript.path)
    assert (list(loaded.uuids), loaded.state) == (kept, state)
    assert len(loaded.notes) == (cut > 1)
    # two clocks that count alike do not confuse the chain
    house.clock = CourseClock()
    more = house.transcript(parent=loaded.newest)
    kept.append(more.append("assistant", "a line of its own"))
    loaded = load(transcript.path)
    assert (list(loaded.uuids), loaded.notes) == (kept, [])


def test_sessions_of_others_are_read_and_found_by_their_beginning(house: House) -> None:
    def record(uuid: str, parent: str | None, **more: Any) -> dict[str, Any]:
        message = {"id": "m", "role": "user", "content": uuid, "usage": {}}
        more |= {"parentUuid": parent, "type": "user"}
        return {"message": message, "uuid": uuid, **more}

    rows = [
        {"type": "summary", "summary": "Kayaks", "leafUuid": "g"},
        *(record("a", None), record("s", "a", isSidechain=True), record("x", "a")),
        *({"type": "attachment", "uuid": "e", "parentUuid": "a"}, record("c", "e")),
    ]
    house.folder.mkdir(parents=True)
    path = house.folder / "one.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    loaded = load(path)
    assert loaded.messages[0] == {"role": "user", "content": "a"}
    assert loaded.uuids == ("a", "c")
    assert ["another branch" in one for one in loaded.notes] == [True]
    # nobody knows what was switched off, so nothing of it is looked at again
    assert loaded.state == SessionState(cursor="c")
    assert find_transcript(house.base, "on") == path
    for wrong in ("none", "../one", "*", ""):
        with pytest.raises(TranscriptError, match=r"The newest: one$"):
            find_transcript(house.base, wrong)


@needs_posix
def test_a_copy_of_a_session_is_named_and_loses_what_is_unsaid(house: House) -> None:
    path, copy = house.transcript("one").path, house.base / "projects" / "copy" / "one.jsonl"
    ids = chat(house.transcript("one"), 2, "sesame")
    copy.parent.mkdir()
    copy.write_bytes(path.read_bytes())
    copy.with_name("two.jsonl").symlink_to("nowhere")
    for name in ("on", "one"):
        with pytest.raises(TranscriptError, match=f"{copy}, {path}|{path}, {copy}"):
            find_transcript(house.base, name)
    house.harness("two").record.take_off_record({"one": ids})
    assert b"sesame" not in path.read_bytes() + copy.read_bytes()


@pytest.mark.parametrize("how", ["", "killed", "torn", "noted by 0.2"])
def test_what_is_unsaid_leaves_the_file(house: House, how: str, monkeypatch: Patch) -> None:
    transcript, path = house.transcript(), house.transcript().path
    ids = [*chat(transcript, 2, "sesame"), *chat(transcript, 2, "tea")][:2]
    whole, mtime = load(path).messages, path.stat().st_mtime_ns
    notes = house.folder / "session-memory" / "session-1" / "memory.md"
    notes.parent.mkdir(parents=True)
    notes.write_text("Likes sesame.")
    house.clock.advance(60)
    if how == "noted by 0.2":
        state = {"mode": "full", "cursor": "", "declined": ids}
        with path.open("a", encoding="utf-8") as file:
            print(json.dumps({"type": "state", "uuid": None, "state": state}), file=file)
    elif how == "killed":
        with monkeypatch.context() as dies:
            dies.setattr(Folder, "write", mock.Mock(side_effect=KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                transcript.take_off_record(ids[:1])
        assert b"sesame" in path.read_bytes()
    else:
        if how == "torn":
            path.write_bytes(path.read_bytes().replace(b'1 sesame"}}\n', b"1 sesame\n"))
        transcript.take_off_record(ids[:1])
        assert (path.stat().st_mtime_ns == mtime, notes.exists()) == (not how, False)
    again = house.transcript()  # the next one goes on
    assert again.off_record_ids >= {*ids[:1], *ids[: 2 * (how != "torn")]}
    assert b"sesame" not in path.read_bytes()
    assert b"tea" in path.read_bytes()
    if how != "torn":
        words = words_file(path).read_bytes()
        assert words.count(b"1 sesame") == 1 + (how == "killed")
        assert (load(path).messages, load(path).off_record) == (whole, set(ids))
    words_file(path).unlink()  # the person deletes the words
    assert "sesame" not in str(load(path).messages)
    # a summary may repeat the words of what it replaces
    tea = again.append("user", "I like tea.")
    summary = again.append("user", replacement("summary", "Likes tea."), "")
    again.take_off_record([tea])
    assert summary in again.off_record_ids
    assert b"Likes tea" not in path.read_bytes()


def test_what_a_killed_write_leaves_names_its_session_until_the_next_start(
    house: House, monkeypatch: Patch
) -> None:
    transcript = house.transcript(document=house.base / "conversations" / "session-1.json")
    ids = chat(transcript, 2, "sesame")
    with monkeypatch.context() as dies:
        dies.setattr(Folder, "rename", mock.Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            transcript.take_off_record(ids[:1])
        with pytest.raises(KeyboardInterrupt):
            transcript.save_document(load(transcript.path).messages, "m")
    left = [*house.base.rglob("*session-1*.tmp")]
    assert {one.parent for one in left} == {house.folder, house.base / "conversations"}
    house.fill(tabs="Tabs.")
    (house.memory / ".memlab-.consolidate-lock.tmp").write_text("10\n")
    house.harness("session-2")
    assert [*house.base.rglob("*.tmp"), *house.memory.glob("*lock")] == []


def test_what_is_added_while_another_process_forgets_stays(house: House) -> None:
    transcript = house.transcript()
    ids = chat(transcript, 20, "sesame")
    program = "import sys; from pathlib import Path; from memlab.agent.transcript import *\n"
    program += "for uuid in sys.argv[2:]: take_off_record(Path(sys.argv[1]), [uuid])"
    command = [sys.executable, "-c", program, str(transcript.path), *ids]
    with subprocess.Popen(command, env=os.environ) as other:
        added = []
        while other.poll() is None or not added:
            added += chat(transcript, 2, "tea")
    assert other.returncode == 0
    loaded = load(transcript.path)
    assert (loaded.uuids, loaded.off_record) == ((*ids, *added), set(ids))
    assert b"sesame" not in transcript.path.read_bytes()


@needs_pipes
def test_a_pipe_in_the_place_of_a_session_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "projects/p/one.jsonl"
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    with pytest.raises(OSError, match="not a plain file"):
        load(path)
