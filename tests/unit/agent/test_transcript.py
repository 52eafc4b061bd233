"""The transcript: written message by message, read back whatever happened to it."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.compaction import replacement
from memlab.agent.session import find_transcript
from memlab.agent.transcript import SessionState, Transcript, TranscriptError, words_file
from memlab.agent.transcript import load_transcript as load
from memlab.clock import STORY_START, CourseClock
from memlab.memdir.folder import Folder
from memlab.models.request import find_fault
from tests.house import House, run

DATA = Path(__file__).parents[3] / "data"
SESSIONS = sorted((DATA / "example" / "sessions").glob("*.jsonl"))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def raising(error: BaseException) -> Any:
    def broken(*given: Any, **more: Any) -> Any:
        raise error

    return broken


def chat(transcript: Transcript, count: int, words: str = "") -> list[str]:
    return [transcript.append(("user", "assistant")[n % 2], f"{n} {words}") for n in range(count)]


@pytest.mark.behaviour("O2")
def test_a_line_is_of_the_examples_form(house: House) -> None:
    transcript = house.transcript()
    transcript.append("user", "Morning. I'm Robin.")
    house.clock.advance(19.5)
    transcript.append("assistant", [{"type": "text", "text": "Morning."}])
    first, second = lines(transcript.path)
    assert list(first) == list(lines(SESSIONS[0])[0])
    assert first["message"] == {"role": "user", "content": "Morning. I'm Robin."}
    assert (first["parentUuid"], second["parentUuid"]) == (None, first["uuid"])
    assert second["timestamp"] == "2026-03-30T09:00:19Z"
    moment = (STORY_START + timedelta(seconds=19.5)).timestamp()
    assert transcript.path.stat().st_mtime == moment
    for path in SESSIONS:  # the examples' own can be gone on with
        loaded = load(path)
        assert (len(loaded.messages), loaded.notes) == (len(lines(path)), [])
        body = {"model": "m", "max_tokens": 1, "messages": list(loaded.messages)}
        assert find_fault(body) == ""


@pytest.mark.behaviour("G2")
def test_the_document_and_a_full_disk(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    document = house.base / "conversations" / "session-1.json"
    agent = house.agent(transcript=house.transcript(document=document))
    assert agent.transcript
    agent.transcript.off_record = True
    run(agent.run_turn("My secret."))
    agent.transcript.off_record = False
    first = json.loads(document.read_text("utf-8"))
    house.clock.advance(3_600)
    run(agent.run_turn("Please look  at\nthe board. " + "And so on. " * 20))
    second = json.loads(document.read_text("utf-8"))
    assert second["messages"] == agent.messages
    assert second["created_at"] == first["created_at"] == "2026-03-30T09:00:00Z"
    assert second["updated_at"] == "2026-03-30T10:00:00Z"
    assert (second["id"], second["model"]) == ("session-1", house.settings.main_model)
    assert second["working_dir"] == "/home/robin/tidebook"
    assert (first["title"], second["title"][:31]) == (None, "Please look at the board. And s")
    assert len(second["title"]) <= 60
    kept = agent.transcript.path.read_bytes()
    monkeypatch.setattr(Folder, "append", raising(OSError(28, "No space left on device")))
    result = run(agent.run_turn("Go on."))
    assert (bool(result.text), "No space left" in result.error) == (True, True)
    assert agent.transcript.path.read_bytes() == kept
    monkeypatch.undo()
    assert run(agent.run_turn("Go on.")).error == ""
    assert len(load(agent.transcript.path).messages) == 6


@pytest.mark.behaviour("G2")
@pytest.mark.parametrize("cut", [1, 2, 40, 200])
def test_resumed_it_is_as_it_was_but_for_a_torn_line(house: House, cut: int) -> None:
    transcript = house.transcript(project={"root": "~/tidebook"})
    ids = chat(transcript, 4)
    state = SessionState(mode="off", cursor=ids[2], notes_cursor=ids[1])
    before = transcript.path.stat().st_mtime_ns
    house.clock.advance(60)
    transcript.save_state(state)  # no news, so the file keeps its time
    assert transcript.path.stat().st_mtime_ns == before
    ids.append(transcript.append("user", "last"))
    transcript.path.write_bytes(transcript.path.read_bytes()[:-cut])
    kept = ids if cut == 1 else ids[:-1]  # without its end the line is whole
    loaded = load(transcript.path)
    assert (list(loaded.uuids), loaded.state) == (kept, state)
    assert ["torn" in one for one in loaded.notes] == [True] * (cut > 1)
    # two clocks that count alike do not confuse the chain
    more = Transcript(transcript.path, clock=CourseClock(), cwd="~", parent=loaded.newest)
    added = more.append("assistant", "a line of its own")
    loaded = load(transcript.path)
    assert (list(loaded.uuids), loaded.notes) == ([*kept, added], [])


def test_sessions_of_others_and_what_was_taken_back(house: House) -> None:
    def record(uuid: str, parent: str | None, said: str, **more: Any) -> dict[str, Any]:
        message = {"id": "m", "role": "user", "content": said, "usage": {}}
        return {"parentUuid": parent, "type": "user", "message": message, "uuid": uuid, **more}

    rows = [
        {"type": "summary", "summary": "Kayaks", "leafUuid": "g"},
        record("a", None, "Look."),
        record("s", "a", "a side remark", isSidechain=True),
        record("x", "a", "Wrong turn."),
        {"type": "attachment", "uuid": "e", "parentUuid": "a"},
        record("c", "e", "Right turn."),
    ]
    path = house.transcript().path
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    loaded = load(path)
    assert (loaded.uuids, loaded.messages[0]) == (("a", "c"), {"role": "user", "content": "Look."})
    assert ["another branch" in one for one in loaded.notes] == [True]
    # nobody knows what was switched off, so nothing of it is looked at again
    assert loaded.state == SessionState(cursor="c")
    transcript = house.transcript("mine")
    first = chat(transcript, 2)
    refused = transcript.append("user", "declined by the model")
    transcript.take_back(first[-1], [refused])
    again = transcript.append("user", "Again.")
    loaded = load(transcript.path)
    assert (loaded.uuids, loaded.notes) == ((*first, again), [])


def test_a_session_is_found_by_its_beginning(house: House) -> None:
    for name in ("one", "two"):
        transcript = house.transcript(name)
        transcript.off_record = name == "two"
        chat(transcript, 2)
        assert find_transcript(house.base, name[:2]) == transcript.path
    for wrong in ("none", "../one", "*", ""):
        with pytest.raises(TranscriptError, match=r"The newest: one$"):
            find_transcript(house.base, wrong)
    for content in (b"", b"\n\n", b"[1]\n{}\nnull\n", b"\x00\xff\n" * 3):
        (house.folder / "bad.jsonl").write_bytes(content)
        with pytest.raises(TranscriptError, match="not a session"):
            load(house.folder / "bad.jsonl")


def begun(house: House) -> tuple[Transcript, list[str]]:
    transcript = house.transcript()
    ids = [transcript.append("user", "sesame"), transcript.append("assistant", "With sesame.")]
    return transcript, [*ids, *chat(transcript, 2, "tea")]


def test_what_is_off_the_record_leaves_the_file(house: House) -> None:
    transcript, ids = begun(house)
    path, whole = transcript.path, load(transcript.path).messages
    mtime = path.stat().st_mtime_ns
    notes = path.parent / "session-memory" / "session-1" / "memory.md"
    notes.parent.mkdir(parents=True)
    notes.write_text("Likes sesame.")
    house.clock.advance(60)
    for _ in range(2):
        transcript.take_off_record(ids[:1])
        assert transcript.off_record_ids == set(ids[:2])
    assert (b"sesame" in path.read_bytes(), b"tea" in path.read_bytes()) == (False, True)
    assert (path.stat().st_mtime_ns, notes.exists()) == (mtime, False)
    assert words_file(path).read_bytes().count(b"With sesame.") == 1
    loaded = load(path)
    assert (loaded.messages, loaded.off_record) == (whole, set(ids[:2]))
    words_file(path).unlink()  # the person deletes the words
    loaded = load(path)
    assert (loaded.uuids, "sesame" in str(loaded.messages)) == (tuple(ids), False)
    # a summary may repeat the words of what it replaces
    summary = replacement("summary", "Likes halva.")
    for said in ("halva", summary):
        added = transcript.append("user", said, None if said == "halva" else "")
    transcript.take_off_record(ids[-1:])
    assert added in transcript.off_record_ids
    assert b"Likes halva" not in path.read_bytes()


@pytest.mark.parametrize("how", ["killed", "torn", "noted by 0.2"])
def test_the_next_one_goes_on(house: House, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    transcript, ids = begun(house)
    path, whole = transcript.path, load(transcript.path).messages

    if how == "killed":
        monkeypatch.setattr(Folder, "write", raising(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            transcript.take_off_record(ids[:1])
        monkeypatch.undo()
        loaded = load(path)
        assert (loaded.messages, loaded.off_record) == (whole, set(ids[:2]))
    elif how == "torn":
        path.write_bytes(path.read_bytes().replace(b'sesame."}}\n', b"sesame.\n"))
        transcript.take_off_record(ids[:1])
    else:
        state = {"mode": "full", "cursor": "", "declined": ids[:1]}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": "state", "uuid": None, "state": state}) + "\n")
    assert (b"sesame" in path.read_bytes()) is (how != "torn")
    again = house.transcript()
    assert b"sesame" not in path.read_bytes()
    assert again.off_record_ids >= set(ids[:1])
    assert how == "torn" or load(path).messages == whole


def test_what_is_added_while_another_process_forgets_stays(house: House) -> None:
    transcript = house.transcript()
    ids = chat(transcript, 20, "sesame")
    program = (
        "import sys; from pathlib import Path; from memlab.agent.transcript import *\n"
        "for uuid in sys.argv[2:]: take_off_record(Path(sys.argv[1]), [uuid])"
    )
    command = [sys.executable, "-c", program, str(transcript.path), *ids]
    with subprocess.Popen(command, env=os.environ) as other:
        added = []
        while other.poll() is None or not added:
            added += chat(transcript, 2, "tea")
    assert other.returncode == 0
    loaded = load(transcript.path)
    assert (loaded.uuids, loaded.off_record) == ((*ids, *added), set(ids))
    assert b"sesame" not in transcript.path.read_bytes()


@pytest.mark.parametrize("count", [5, pytest.param(300, marks=pytest.mark.soak)])
def test_whatever_is_said_comes_back(house: House, count: int) -> None:
    chance, odd = random.Random(count), 'a \n\r\u2028\0\x1f"\\{é🛶\ud800'
    for number in range(count):
        transcript, wanted = house.transcript(f"any-{number}"), []
        for _ in range(chance.randint(1, 8)):
            role, transcript.off_record = (
                chance.choice(("user", "assistant")),
                chance.random() < 0.5,
            )
            text = "".join(chance.choices(odd, k=chance.randint(1, 9)))
            uuid = transcript.append(role, text)
            wanted.append({"role": role, "content": text.encode("utf-8", "replace").decode()})
            take = partial(transcript.take_off_record, [uuid])
            chance.choice((take, transcript.hide, list))()
            loaded = load(transcript.path)
            assert (list(loaded.messages), loaded.notes, transcript.problem) == (wanted, [], "")
            assert loaded.off_record == transcript.off_record_ids
