"""The chat and the commands as a person uses them: lines typed, read, and the files."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from memlab.cli import chat, dream, prompts, why
from memlab.cli.commands import guarded
from memlab.dream.lock import ConsolidationLock
from memlab.dream.receipt import is_waiting
from memlab.evidence.pending import PendingChange
from memlab.memdir.folder import Folder
from memlab.memdir.places import forget_paths, memory_paths
from memlab.models import Latency, OfflineModel, offline
from tests.house import House, use
from tests.model_server import ModelServer
from tests.platforms import needs_posix

COFFEE, FILE = "Remember that I take my coffee black.", "take-my-coffee-black.md"
KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
FILES = {"coffee.md", "ferry.md", "tabs.md"}
GONE = "---\nname: x\ndropped: the person has moved on\n---\n"


class Desk(House):
    """A house with three memories, at which a person types."""

    def run(self, *args: str, of: Any = chat.main, status: int = 0, **typing: Any) -> str:
        """Run a command while these lines are typed; gives all that was printed."""
        stream = io.StringIO("".join(f"{line}\n" for line in typing.get("typed", ())))
        stream.isatty = lambda: typing.get("person", False)  # type: ignore[method-assign]
        self.patch.setattr("sys.stdin", stream)
        ended = guarded("memlab", lambda: of(["--project", str(self.project), *args]))
        printed = self.capsys.readouterr()
        assert ended == status, printed
        return str(printed.out + printed.err)

    def chat(self, *lines: str) -> str:
        return self.run(typed=lines)

    def dreams_of_dropping(self, *files: str) -> None:
        paths = [str(self.memory / file) for file in files]
        reads = [use("Read", file_path=path) for path in paths]
        writes = [use("Write", file_path=path, content=GONE) for path in paths]
        self.answers("dream", reads, writes, "All is in order.")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Iterator[Desk]:
    for name in ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / ".memlab"))
    forget_paths()
    desk, before = Desk(tmp_path), signal.getsignal(signal.SIGINT)
    desk.patch, desk.capsys = monkeypatch, capsys
    desk.model, desk.memory = OfflineModel(chat=True), memory_paths(desk.project).memory_dir
    monkeypatch.setattr(offline, "OfflineModel", lambda **options: desk.model)
    ferry, tabs = "Robin's ferry sails at 07:40.", "Tabs, not spaces, in all code."
    desk.fill(coffee="Robin has it in a blue mug.", ferry=ferry, tabs=tabs)
    yield desk
    signal.signal(signal.SIGINT, before)


def session_of(said: str) -> str:
    return said.split("--resume ")[1].split()[0]


ANSWERS = {
    "\ufeff/memry": "There is no command /memry.",
    "/forget zeppelins": "No memory has these words.",
    "/memory robin": "Which one? Name its file:",
    "/why nothing.md": "nothing.md",
    "/review accept": "Nothing waits for you.",
    "/undo change-9999": "no change to undo called change-9999",
    f"Remember that my key is {KEY}": "• Not saved: it looks like a secret.",
    "/etc/hosts is a file.": "(plain reply)",
    "/dream": "• The dream ",
    COFFEE: f"• Saved to memory: {FILE}",
    "Do I take my coffee black?": f"recalled: {FILE}",
    "/recall": "chosen by fallback rules",
}


def test_each_line_is_answered(desk: Desk) -> None:
    said = desk.chat(*ANSWERS)
    assert [line for line, shown in ANSWERS.items() if shown not in said] == []
    assert "Offline: rules answer, not a language model." in said
    assert {*desk.files()} == FILES | {FILE}


def test_what_is_forgotten_comes_back_unless_it_is_for_good(desk: Desk) -> None:
    path = desk.memory / "coffee.md"
    path.write_text(path.read_text("utf-8") + "\x1b[2J\n", encoding="utf-8")
    forget = "/forget mug|y|/undo|/forget ferry|n|/forget tabs.md|y"
    said = desk.chat(*forget.split("|"))
    assert "in a blue mug" in said
    assert "\x1b" not in said, "a memory cannot steer the terminal"
    assert {*desk.files()} == {"coffee.md", "ferry.md"}

    def is_there() -> bool:
        files = [path for path in desk.memory.rglob("*") if path.is_file()]
        return any(b"blue mug" in path.read_bytes() for path in files)

    assert "Forget ferry.md?" in said
    assert "Erase" not in desk.chat("/forget --for-good cofee.md", "yes")
    erase = "/forget --for-good coffee.md"
    desk.chat(erase, "no", erase, "y e s")
    assert is_there()
    assert "This cannot be undone" in desk.chat(erase, "yes", "/exit", "/undo")
    assert not is_there()


def test_memory_can_be_switched(desk: Desk) -> None:
    off = desk.chat("/memory off", COFFEE)
    only = desk.run("--memory", "recall-only", typed=[COFFEE, "I prefer tabs."])
    for said in (off, only):  # it stays as it was
        desk.run("--resume", session_of(said), typed=["I prefer tea."])
    assert {*desk.files()} == FILES
    desk.chat("/memory off", COFFEE, "/memory on", COFFEE)
    assert {*desk.files()} == FILES | {FILE}


@pytest.mark.behaviour("G2")
def test_a_session_is_resumed_by_the_beginning_of_its_id(desk: Desk) -> None:
    one, two = session_of(desk.chat("Hello.")), session_of(desk.chat("Hello."))
    assert session_of(desk.run("--resume", one[:6], typed=["Again."])) == one
    assert session_of(desk.run("--continue", typed=["Again."])) == one
    (path,) = desk.base.glob(f"projects/*/{one}.jsonl")
    path.with_name(f"{one[:6]}x.jsonl").touch()
    said = desk.run("--resume", one[:6], status=2)
    assert (one in said, two in said) == (True, False)


def test_what_could_not_be_written_down_is_not_to_be_resumed(desk: Desk) -> None:
    desk.patch.setattr(Folder, "append", mock.Mock(side_effect=OSError(28, "No space")))
    said = desk.chat("Hello.")
    assert ("cannot be written down: No space" in said, "--resume" in said) == (True, False)


def test_the_latest_session_may_be_one_that_is_off_the_record(desk: Desk) -> None:
    assert "no session" in desk.run("--continue", status=2)
    before = {*desk.files()}
    for older in ((), ("Hello.",)):
        if older:
            desk.chat(*older)
        off = session_of(desk.run("--memory", "off", typed=["My plan is a secret."]))
        said = desk.run("--continue", typed=["I prefer tea, always, in all my breaks."])
        assert (session_of(said), {*desk.files()}) == (off, before)


def test_one_message_for_scripts_and_its_status(desk: Desk) -> None:
    typed = {"typed": ["I prefer tabs in all my code."]}
    for purpose in ("main", "extract"):
        desk.model.faults.add("bad_request", purpose=purpose)
        said = desk.run("--print", "-", status=1, **typed)
        assert ("Noted." in said) == (purpose == "extract")
        assert {*desk.files()} == FILES
    assert "Saved to memory" in desk.run("--print", "-", **typed)
    for args in ("--resume nonsense", "--project nowhere", "--print /forget"):
        assert desk.run(*args.split(), status=2).count("\n") == 1


def test_the_prompts_are_listed_unless_something_else_is_asked_for(desk: Desk) -> None:
    assert "memory.md (memlab's)" in desk.run(of=prompts.main)
    assert "No prompt of yours differs" in desk.run("diff", of=prompts.main)


@pytest.mark.behaviour("A11")
def test_sentences_that_wait_are_decided_on(desk: Desk) -> None:
    for text in ("Tea is good.", "So is gin.", "And rum."):
        change = PendingChange("coffee.md", text, why="unsupported", who="dream")
        desk.store.hold([change])
    said = desk.chat("/review", "/review accept 1", "/review reject 1")
    assert "2  coffee.md: So is gin. — unsupported" in said
    assert [one.text for one in desk.store.waiting()] == ["And rum."]
    assert "Tea is good." in desk.store.read("coffee.md").body
    assert "origin: " in desk.run("coffee.md", of=why.main)


DECISIONS = "2=ferry tabs|2, 3=ferry|none=coffee ferry tabs|/dream reject=coffee ferry tabs|"
DECISIONS += "/review accept=ferry|/dream accept coffee.md=ferry tabs"


@pytest.mark.behaviour("K5")
@pytest.mark.parametrize("row", DECISIONS.split("|"))
def test_the_person_decides_on_each_change_now_or_later_and_can_undo(desk: Desk, row: str) -> None:
    (said, left), before = row.split("="), desk.files()
    desk.dreams_of_dropping("coffee.md", "tabs.md")
    assert "--yes" in desk.run(of=dream.main, status=2), "there is no terminal"
    assert "tabs.md dropped: the person" in desk.run("--dry-run", of=dream.main)
    if said.startswith("/"):
        desk.run("--yes", of=dream.main, status=1)  # too much for nobody to see
        desk.run("--yes", of=dream.main, status=2)  # it waits already
        desk.run(of=dream.main, person=True, status=1)  # Ctrl-D
        assert is_waiting(desk.memory)
        assert desk.files() == before
        shown = desk.chat("/dream", said, "/review")
        assert "? tabs.md dropped: the person has moved on" in shown
    else:
        assert desk.files() == before
        desk.run(of=dream.main, typed=["7", said], person=True)
    assert not is_waiting(desk.memory)
    assert [file[:-3] for file in desk.files()] == left.split()
    if len(desk.files()) < 3:
        desk.store.undo()
    assert desk.files() == before


def test_a_dream_is_watched_stopped_and_never_beside_another(desk: Desk) -> None:
    desk.model.latency = {"dream": Latency(60, 0)}
    said = desk.chat("/dream", "/dream", "/dream stop", "Hello.")
    assert "starting: \nfiles touched: none" in said
    assert "The dream was stopped. The memory is as it was." in said
    ConsolidationLock(desk.memory, pid=os.getppid()).try_acquire()
    assert str(os.getppid()) in desk.run("--yes", of=dream.main, status=2)


@pytest.mark.behaviour("L2b")
def test_a_memory_is_personal_after_a_yes(desk: Desk) -> None:
    promote = "/memory promote tabs.md"
    assert "personal memory is switched off" in desk.chat(promote, "y")
    desk.patch.setenv("MEMLAB_PERSONAL", "on")
    desk.chat(promote, "no", promote, "y e s")
    assert {*desk.files()} == FILES
    desk.chat(promote, "yes")
    assert {*desk.files()} == FILES - {"tabs.md"}
    desk.chat("/memory demote personal/tabs.md", "yes")
    assert {*desk.files()} == FILES


@needs_posix
@pytest.mark.behaviour("M5")
def test_ctrl_c_stops_the_answer_and_a_killed_chat_loses_nothing(desk: Desk) -> None:
    model, pipe = OfflineModel(latency={"main": Latency(60, 0)}), subprocess.PIPE
    server = ModelServer(model).start()
    env = {"MEMLAB_MODEL": "live", "ANTHROPIC_BASE_URL": server.url, "PYTHONPATH": os.getcwd()}
    env |= {f"MEMLAB_{one.upper()}_MODEL": one for one in ("main", "select", "extract")}
    command = [sys.executable, "-c", "from memlab.cli.chat import main; main()"]
    more = {"text": True, "cwd": desk.project, "env": os.environ | env}
    talk = subprocess.Popen(command, 1, None, pipe, pipe, **more)  # type: ignore[call-overload]
    shown = iter(talk.stdout)
    assert any("/exit" in line for line in shown)
    print("Tell me of the sea.", file=talk.stdin, flush=True)
    while "main" not in [one.purpose for one in model.requests]:
        pass
    talk.send_signal(signal.SIGINT)
    assert any("Interrupted." in line for line in shown)
    model.latency = {}
    for typed in (COFFEE, "I prefer tea in the morning."):
        print(typed, file=talk.stdin, flush=True)
        assert any("Saved to memory" in line for line in shown)
    (transcript,) = desk.base.glob("projects/*/*.jsonl")
    assert "open in another chat" in desk.run("--continue", status=2)
    locks = [*desk.base.glob("projects/*/*.lock")]
    assert [one.stat().st_mode & 0o077 for one in locks] == [0]
    talk.kill()
    talk.wait()
    server.stop()
    used = {(one.purpose, one.body["model"]) for one in model.requests}
    assert used == {(one, one) for one in ("main", "select", "extract")}
    assert {*desk.files()} > FILES | {FILE}
    said = desk.run("--resume", transcript.stem[:8], typed=["Do I take coffee black?"])
    assert f"({FILE})" in said
    assert "Tell me of the sea." in transcript.read_text("utf-8")
