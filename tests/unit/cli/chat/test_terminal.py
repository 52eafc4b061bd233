"""The chat as a person uses it, without a terminal: lines typed, lines read."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from memlab.chat.views import plain
from memlab.cli import doctor
from memlab.cli import dream as dream_command
from memlab.cli.chat import why
from memlab.clock import CourseClock
from memlab.evidence.pending import PendingChange
from memlab.memdir.store import MemoryStore
from tests.unit.cli.chat.conftest import Chat

COFFEE = "Remember that I take my coffee black."


def memories(base: Path) -> list[str]:
    files = base.glob("projects/*/memory/*.md")
    return sorted(path.name for path in files if path.name != "MEMORY.md")


def test_it_says_that_rules_answer_and_where_memory_lies(chat: Chat) -> None:
    said = chat()
    assert "Offline: rules answer, not a language model." in said
    assert "/memory" in said.splitlines()[0]
    assert "0 memories · memory on · offline: rules answer" in said
    assert "token" not in said


def test_what_is_told_is_saved_shown_and_answered_from(chat: Chat, base: Path) -> None:
    said = chat(COFFEE, "How do I like my coffee?", "/memory", "/memory coffee")
    assert (
        "╭ Saved to memory: take-my-coffee-black.md (new)\n"
        "│ take my coffee black · user\n"
        "│ I take my coffee black.\n"
        "╰ /memory take-my-coffee-black.md shows the file\n"
    ) in said
    assert memories(base) == ["take-my-coffee-black.md"]
    answer = "From memory: I take my coffee black. (take-my-coffee-black.md)"
    assert answer in said
    assert re.search(r"^take-my-coffee-black\.md  user  new  When it is", said, re.M)
    assert re.search(r"^take-my-coffee-black\.md  user  today  When it", chat("/memory"), re.M)
    assert "type: user" in said


def test_end_of_input_waits_for_what_is_being_learned(chat: Chat, base: Path) -> None:
    said = chat("I prefer tabs, not spaces, in all my code.")
    assert len(memories(base)) == 1
    assert said.index("Saved to memory") < said.index("To continue later: --resume ")


def test_a_session_can_be_resumed(chat: Chat) -> None:
    session = chat("Hello there.").split("--resume ")[1].strip()
    said = chat("And hello again.", args=("--resume", session))
    assert f"Resumed session {session}" in said
    assert f"--resume {session}" in said
    assert f"Resumed session {session}: 2 messages of yours." in chat(args=("--resume", session))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no session 'broken'. The newest: {session}"),
        (b"", "{path}: this is not a session"),
        (b"\x80\xff{}\n[[[\n", "{path}: this is not a session"),
        (b'{"mode": "full"}\n', "{path}: this is not a session"),
        ("folder", "[Errno 21] Is a directory: '{path}'"),
    ],
)
def test_a_session_that_cannot_be_resumed_gets_one_sentence(
    chat: Chat, base: Path, content: bytes | str | None, message: str
) -> None:
    session = chat("Hello there.").split("--resume ")[1].strip()
    path = next(base.glob("projects/*")) / "broken.jsonl"
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content:
        path.mkdir()
    said = chat(args=("--resume", "broken"), status=2)
    assert said.startswith(f"memlab chat: {message.format(session=session, path=path)}")
    assert said.count("\n") == 1


@pytest.mark.behaviour("G2")
@pytest.mark.parametrize("document", ["kept", "lost", "damaged"])
def test_a_resumed_session_keeps_the_time_it_began(
    chat: Chat, base: Path, document: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = chat("Hello there.").split("--resume ")[1].strip()
    path = base / "conversations" / f"{session}.json"
    began = json.loads(path.read_text("utf-8"))["created_at"]
    if document != "kept":  # then the transcript's first line says it, a moment later
        transcript = next(base.glob(f"projects/*/{session}.jsonl"))
        began = json.loads(transcript.read_text("utf-8").splitlines()[0])["timestamp"]
    if document == "lost":
        path.unlink()
    elif document == "damaged":
        path.write_text("garbage")
    tomorrow = CourseClock(datetime.fromisoformat(began) + timedelta(days=1))
    monkeypatch.setattr("memlab.models.connect.SystemClock", lambda: tomorrow)
    chat("Hello again.", args=("--resume", session))
    after = json.loads(path.read_text("utf-8"))
    assert after["created_at"] == began < after["updated_at"]


def test_forgetting_shows_what_was_found_and_can_be_taken_back(chat: Chat, base: Path) -> None:
    said = chat(COFFEE, "/forget coffee", "y", "/undo", "/forget coffee", "")
    assert "[y/N]" in said
    assert "  1  take-my-coffee-black.md: When it is about" in said
    assert "Forgot take-my-coffee-black.md. To bring it back: /undo change-" in said
    assert "Took back change-" in said
    assert "Nothing was forgotten." in said
    assert memories(base) == ["take-my-coffee-black.md"]


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("/forget coffee", "Nothing was forgotten."),
        ("/forget take", "Nothing was forgotten."),
        ("/forget --for-good take-my-coffee-black.md", "Nothing was erased."),
    ],
)
def test_a_command_leaves_any_question_and_runs(
    chat: Chat, base: Path, question: str, left: str
) -> None:
    tea = "Remember that I take my tea with milk." if "take" in question else "Hello."
    said = chat(COFFEE, tea, question, "/memory", "y", question, "/quit", "/help")
    assert said.count(left) == 2
    assert re.search(r"^take-my-coffee-black\.md +user +new", said, re.M)
    assert "Type a message to the agent" not in said  # /quit left the chat
    assert "take-my-coffee-black.md" in memories(base)


def test_a_second_undo_names_what_is_not_from_the_last_turn(chat: Chat, base: Path) -> None:
    oslo = "Remember that I live in Oslo."
    said = chat(COFFEE, oslo, "/undo", "/undo", "", "/undo", "/memory", "/undo", "y")
    older = "change-0001 (write by main agent, today): take-my-coffee-black.md"
    assert said.count(f"This is not from your last message: {older}. Take it back?") == 3
    assert said.count("Nothing was taken back.") == 2
    assert said.count("Took back change-0002") == said.count("Took back change-0001") == 1
    assert memories(base) == []
    # the first one, and the one of what the last turn changed, do as they are told
    assert "not from your last message" not in chat(COFFEE, "/forget coffee", "y", *["/undo"] * 2)


def test_memory_is_ignored_by_a_command_until_another_ends_it(chat: Chat, base: Path) -> None:
    said = chat("Hello.", "/memory ignore", COFFEE, "/memory on", COFFEE)
    assert "Memory is off for the rest of this session. /memory on switches it back on." in said
    assert "memory off · " in said
    assert memories(base) == ["take-my-coffee-black.md"]


def test_what_the_project_shows_is_declined_with_the_reason(
    chat: Chat, base: Path, tmp_path: Path
) -> None:
    said = chat("Remember: src/app.py holds the routes", "/memory")
    assert "• Not saved: file layout. A copy in memory would go stale." in said
    assert memories(base) == []


def test_nothing_found_is_said_and_nothing_dropped(chat: Chat, base: Path) -> None:
    said = chat(COFFEE, "/forget zeppelins", "/forget", "/memory zeppelins")
    assert said.count("Nothing in memory matches that.") == 2
    assert "Say what to forget: /forget WORDS" in said
    assert memories(base) == ["take-my-coffee-black.md"]


@pytest.mark.parametrize(("answer", "left"), [("yes", 0), ("no", 1), ("", 1)])
def test_for_good_needs_a_clear_yes(chat: Chat, base: Path, answer: str, left: int) -> None:
    file = "take-my-coffee-black.md"
    said = chat(COFFEE, f"/forget --for-good {file}", answer)
    assert f"Erase {file}, its name and every copy" in said
    assert ("Some of its words remain in: " in said) == (answer == "yes")
    assert len(memories(base)) == left
    images = [path for path in base.glob("projects/*/memory/.memlab/**/*") if path.is_file()]
    assert any(b"coffee black" in path.read_bytes() for path in images) == bool(left)


def test_a_hand_edit_is_not_replaced_by_an_undo(chat: Chat, base: Path) -> None:
    chat(COFFEE)
    (path,) = base.glob("projects/*/memory/take-my-coffee-black.md")
    text = path.read_text("utf-8") + "And no sugar.\n"
    path.write_text(text, "utf-8")
    said = chat("/undo")
    assert "has changed since change-0001, so that text was left alone" in said
    assert path.read_text("utf-8") == text
    assert "Name one change: /undo CHANGE" in chat("/undo one two")


@pytest.mark.behaviour("A11")
def test_a_memory_says_where_each_sentence_came_from(
    chat: Chat, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat(COFFEE)
    (path,) = base.glob("projects/*/memory/take-my-coffee-black.md")
    path.write_text(path.read_text("utf-8") + "\nAnd no sugar.\n", "utf-8")
    held = PendingChange(path.name, "Tea is good.", why="unsupported", who="dream")
    MemoryStore(path.parent).hold([held, replace(held, text="So is gin.")])
    accept, reject = "/review accept 1", "/review reject"
    said = chat(f"/why {path.name}", "/why", "/review", accept, reject)
    assert f"1  {path.name}: Tea is good. — unsupported" in said
    assert f"Accepted: {path.name}: Tea is good." in said
    assert f"Dropped: {path.name}: So is gin." in said
    assert path.read_text("utf-8").endswith("And no sugar.\n\nTea is good.\n")
    assert re.search(r"I take my coffee black.*\n *origin: person\n *written by \w+.*message", said)
    assert re.search(r"And no sugar\.\n *origin: unknown", said)
    assert "Name a memory: /why FILE" in said
    project = ["--project", str(tmp_path / "tidebook")]
    assert why.main([*project, path.name, "--confirm"]) == 0
    assert why.main([*project, path.name]) == 0
    printed = capsys.readouterr().out
    assert f"Confirmed {path.name}" in printed
    assert re.search(r"And no sugar\.\n *origin: person\n *confirmed by user", printed)
    assert "no text of unknown origin" in chat(f"/memory confirm {path.name}")
    assert why.main([*project, "nothing.md"]) == 2


def test_nothing_changed_yet_is_nothing_to_take_back(chat: Chat) -> None:
    assert "nothing to undo" in chat("/undo")
    said = chat(COFFEE, "/undo change-9999", "/memory full")
    assert re.search(
        r"^there is no change to undo called change-9999\. The latest are change-0001\.", said, re.M
    )
    assert "From your next message on, memory is on." in said


def test_memory_can_be_switched_off_and_on(chat: Chat, base: Path) -> None:
    said = chat("/memory off", COFFEE, "/memory on", COFFEE)
    assert "memory off · " in said
    assert memories(base) == ["take-my-coffee-black.md"]


def test_recall_only_is_an_option(chat: Chat, base: Path) -> None:
    said = chat(COFFEE, "I prefer tabs.", args=("--memory", "recall-only"))
    assert "memory read only" in said
    assert "Nothing was saved. " in said
    assert "Memory is read only: nothing is saved." in said
    assert "Once it is saved" not in said
    assert memories(base) == []


def test_asked_where_nobody_can_answer_nothing_is_saved(chat: Chat, base: Path) -> None:
    assert "asks before saving" in chat(COFFEE, args=("--ask",))
    assert memories(base) == []


def test_recall_and_cost_are_shown(chat: Chat) -> None:
    said = chat("/recall", COFFEE, "How do I like my coffee?", "/recall", "/cost")
    assert "Nothing has been recalled yet." in said
    assert "“How do I like my coffee?”: chosen by fallback rules" in said
    assert "the model" not in said
    assert re.search(r"^main +\d+", said, re.M)
    assert re.search(r"^total +\d+", said, re.M)


def test_kims_two_facts_are_memories_in_kims_words(chat: Chat, base: Path) -> None:
    said = chat("My name is Kim. I am a data scientist", "What do you know about me?")
    assert memories(base) == ["am-a-data-scientist.md", "my-name-is-kim.md"]
    (file,) = base.glob("projects/*/memory/my-name-is-kim.md")
    assert file.read_text("utf-8").rstrip().endswith("\n\nMy name is Kim.")
    assert "- My name is Kim. (my-name-is-kim.md)" in said


def test_what_is_known_is_read_now_and_what_was_dropped_is_not_said(chat: Chat) -> None:
    asked = "What do you know about me?"
    said = chat(asked, COFFEE, asked, "/forget coffee", "y", asked)
    text = "From your memories:\n- I take my coffee black. ("
    assert said.count("Nothing yet. Tell me something about you") == 2
    assert said.count(text) == 1


def test_a_secret_is_refused_aloud(chat: Chat, base: Path) -> None:
    key = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
    said = chat(f"Remember that my key is {key}", f"My key is {key}", "The boat is red.")
    assert said.count("• Not saved: it looks like a secret.") == 2
    assert memories(base) == []


def test_of_a_large_recall_five_memories_are_named_and_the_rest_is_folded(
    chat: Chat, base: Path
) -> None:
    for colour in ("red", "blue", "green", "white", "black", "grey", "pink"):
        chat(f"Remember that I paint my {colour} boat every spring.")
    said = chat("When do I paint my boat?", "/recall", "/recall all")
    shown, everything = said.split("and 2 more: /recall all\n")
    assert re.search(r"^recalled: (?:[\w-]+\.md(?:, )?){1,5}$", said, re.M)
    assert shown.split("chosen by")[1].count(".md") == 5
    assert everything.split("chosen by")[1].count(".md") == 7


@pytest.mark.behaviour("K5")
def test_a_dream_by_hand_runs_beside_and_its_state_is_told(chat: Chat) -> None:
    said = chat("/dream status", COFFEE, "/dream", "/dream sideways", "/dream accept", "/dream-off")
    assert "No dream in this session." in said
    assert "The commands are /dream and /dream status" in said
    assert "No dream is waiting for a decision." in said
    assert "No dream will start automatically in this session." in said
    assert "• The dream " in said


def test_an_unknown_command_names_the_nearest(chat: Chat) -> None:
    assert "There is no command /memry. Did you mean /memory?" in chat("/memry")
    assert "There is no command /xyzzy. /help lists" in chat("/xyzzy")


def test_help_names_every_command_and_quit_leaves(chat: Chat) -> None:
    said = chat("/help", "/quit", COFFEE)
    for name in ("memory", "recall", "forget", "undo", "cost", "dream-off", "dream", "quit"):
        assert re.search(rf"^  /{name}\b", said, re.M), name
    assert "I saved that" not in said


def test_a_project_that_is_no_folder_is_told_in_one_line(chat: Chat, tmp_path: Path) -> None:
    said = chat(args=("--project", str(tmp_path / "nowhere")), status=2)
    assert "this is not a folder" in said
    assert len(said.splitlines()) == 1


def test_settings_that_cannot_be_read_are_told_in_one_line(chat: Chat, base: Path) -> None:
    base.mkdir()
    (base / "settings.json").write_text(json.dumps({"recall": "perhaps"}), encoding="utf-8")
    said = chat(status=2)
    assert "'perhaps' is not on or off" in said
    assert len(said.splitlines()) == 1


def test_a_memory_cannot_steer_the_terminal(chat: Chat, base: Path) -> None:
    chat(COFFEE)
    (file,) = base.glob("projects/*/memory/take-*.md")
    file.write_text(file.read_text("utf-8") + "\x1b]0;owned\x07\x1b[2J\n", encoding="utf-8")
    said = chat("/memory coffee")
    assert "owned" in said
    assert "\x1b" not in said
    assert plain("a\x1b[2J\tb\n") == "a[2J\tb\n"


def test_help_of_the_program_says_how_to_go_live(capsys: pytest.CaptureFixture[str]) -> None:
    from memlab.cli.chat import conversation

    with pytest.raises(SystemExit):
        conversation.main(["--help"])
    said = capsys.readouterr().out
    assert "MEMLAB_MODEL=live" in said
    assert "--resume ID" in said


def test_a_dream_that_waits_is_decided_on_in_a_later_chat(
    chat: Chat, crowded: Path, tmp_path: Path
) -> None:
    assert dream_command.main(["--project", str(tmp_path / "tidebook"), "--yes"]) == 1
    said = chat(
        "/dream status",
        "/dream receipt",
        "/dream diff tabs.md",
        "/dream",
        "/dream accept nope.md",
        "/dream accept tabs.md",
        "/dream accept",
    )
    assert re.search(
        r"^• The dream of [-\d]+ [:\d]+ is waiting for your review: 2 of 3", said, re.M
    )
    assert "Waiting for a review: 2 of 3 memories" in said
    assert "? coffee.md dropped: a doctor has forbidden it for good" in said
    assert "-Tabs, not spaces, in all code." in said
    assert "no dream now: another dream is waiting for your review" in said
    assert "The receipt has no change to nope.md." in said
    assert "- coffee.md dropped: a doctor has forbidden it for good" in said
    assert "The dream dropped 1 memory." in said
    assert "No dream is waiting for a decision." in said
    assert sorted(path.name for path in crowded.glob("*.md")) == [
        "MEMORY.md",
        "coffee.md",
        "ferry.md",
    ]


def test_a_dream_that_waits_can_be_dropped(chat: Chat, crowded: Path, tmp_path: Path) -> None:
    dream_command.main(["--project", str(tmp_path / "tidebook"), "--yes"])
    said = chat("/dream reject", "/dream status")
    assert "The dream was dropped. The memory is as it was." in said
    assert "No dream in this session." in said
    assert (crowded / "tabs.md").exists()


def test_a_dream_in_the_terminal_lists_what_was_held_back(
    chat: Chat, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat(COFFEE)
    (path,) = base.glob("projects/*/memory/take-my-coffee-black.md")
    held = PendingChange(path.name, "Tea is good.", why="unsupported", who="extractor")
    MemoryStore(path.parent).hold([held])
    dream_command.main(["--project", str(tmp_path / "tidebook"), "--yes"])
    said = capsys.readouterr().out
    assert "Decide on them in the chat, with /review:" in said
    assert f"1  {path.name}: Tea is good. — unsupported" in said


def test_erasing_for_good_erases_what_a_waiting_dream_holds(
    chat: Chat, crowded: Path, tmp_path: Path
) -> None:
    dream_command.main(["--project", str(tmp_path / "tidebook"), "--yes"])
    said = chat("/forget --for-good coffee.md", "yes")
    assert (
        "A dream that was waiting for your review was dropped too, because it was made"
        " from what was there before." in said
    )
    left = [path for path in crowded.rglob("*") if path.is_file()]
    assert not any(b"blue mug" in path.read_bytes() for path in left)


@pytest.mark.parametrize("first_stage", ["sqlite", "off"])
def test_memories_beyond_the_newest_can_be_shown_and_forgotten(
    chat: Chat,
    base: Path,
    crowded: Path,
    first_stage: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    changes = {"scan_max_files": 2, "first_stage": first_stage}
    (base / "settings.json").write_text(json.dumps(changes))
    os.utime(crowded / "coffee.md", (1, 1))
    said = chat("/memory coffee.md", "/memory", "/forget coffee", "y", "/undo")
    assert "3 memories · memory on" in said
    assert "Robin drinks coffee black" in said
    read = "" if first_stage == "sqlite" else ", which are not read"
    assert f"and 1 older ones{read}\n" in said
    assert "Forgot coffee.md." in said
    monkeypatch.chdir(base.with_name("tidebook"))
    doctor.main([])
    assert ("beyond-scan" in capsys.readouterr().out) == (first_stage == "off")
    chat("/forget --for-good coffee.md", "yes")
    left = [path for path in base.rglob("*") if path.is_file()]
    assert not any(b"blue mug" in path.read_bytes() for path in left)


def test_a_resumed_session_keeps_memory_as_it_was_switched(chat: Chat, base: Path) -> None:
    session = chat("Hello there.", "/memory off", COFFEE).split("--resume ")[1].strip()
    said = chat("I prefer tabs, not spaces, in all my code.", args=("--resume", session))
    assert "Resumed: memory is switched to off in this session." in said
    assert memories(base) == []
    said = chat("And hello again.", args=("--resume", session, "--memory", "full"))
    assert memories(base) == []
    transcripts = [path.read_text("utf-8") for path in base.glob("projects/*/*.jsonl")]
    assert "Hello there." in transcripts[0]
    assert "coffee black" not in "".join(transcripts)


def test_a_session_of_another_project_is_refused_in_a_line(
    chat: Chat, base: Path, tmp_path: Path
) -> None:
    session = chat("Hello there.").split("--resume ")[1].strip()
    (tmp_path / "boats").mkdir()
    args = ("--project", str(tmp_path / "boats"), "--resume", session)
    said = chat(args=args, status=2)
    assert said.count("\n") == 1
    assert f"session '{session}' belongs to another project: resume it in {tmp_path}" in said


def test_in_daily_log_mode_a_line_is_logged_found_and_explained(chat: Chat, base: Path) -> None:
    base.mkdir(exist_ok=True)
    (base / "settings.json").write_text('{"daily_log": true}', encoding="utf-8")
    chat("Remember that Iggy keeps the spare key behind the third stone.", COFFEE)
    (log,) = base.glob("projects/*/memory/logs/*/*/*.md")
    place = log.relative_to(log.parents[3]).as_posix()
    assert [line[:2] for line in log.read_text("utf-8").splitlines()] == ["- "] * 2

    for_good = f"/forget --for-good {place}"
    said = chat("/forget spare key", f"/why {place}", f"{for_good}:1", "yes")

    assert f"{place}:1: - Remember: Iggy keeps the spare key" in said
    assert "/forget --for-good FILE" in said
    assert "origin: person" in said
    assert "a line of a log is erased by hand" in said
    assert "spare key" in log.read_text("utf-8")
    assert f"Erased {place}, " in chat(for_good, "yes")
    assert not log.exists()
