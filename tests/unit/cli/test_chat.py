"""The chat and the commands as a person uses them: lines typed, read, and the files."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from memlab.cli import chat, dream, prompts, why
from memlab.cli.commands import guarded
from memlab.dream.lock import ConsolidationLock
from memlab.dream.receipt import is_waiting
from memlab.evidence.pending import PendingChange
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from memlab.models import Latency, OfflineModel, offline
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from memlab.prompts import SHIPPED
from tests.house import note, use
from tests.model_server import ModelServer
from tests.platforms import needs_posix

COFFEE, FILE = "Remember that I take my coffee black.", "take-my-coffee-black.md"
KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
FILES = {"coffee.md", "ferry.md", "tabs.md"}


class Desk:
    """The project, the memory of which has three files once ``store`` is asked for."""

    def __init__(self, home: Path, patch: Any, capsys: Any) -> None:
        self.base, self.project = home / "base", home / "boats"
        self.patch, self.capsys = patch, capsys
        self.project.mkdir()

    def run(self, *args: str, of: Any = chat.main, status: int = 0, **typing: Any) -> str:
        """Run a command while these lines are typed; gives all that was printed."""
        typed, person = typing.get("typed", ""), typing.get("person", False)
        stream = io.StringIO("".join(f"{line}\n" for line in typed.split("|") if line))
        stream.isatty = lambda: person  # type: ignore[method-assign]
        self.patch.setattr("sys.stdin", stream)
        ended = guarded("memlab", lambda: of(["--project", str(self.project), *args]))
        printed = self.capsys.readouterr()
        assert ended == status, printed
        return printed.out + printed.err

    def chat(self, *lines: str) -> str:
        return self.run(typed="|".join(lines))

    @cached_property
    def model(self) -> OfflineModel:
        """The model that answers from now on."""
        model = OfflineModel(chat=True)
        self.patch.setattr(offline, "OfflineModel", lambda **options: model)
        return model

    @cached_property
    def store(self) -> MemoryStore:
        store = MemoryStore(memory_paths(self.project).memory_dir)
        store.write_text("coffee.md", note("Robin has it in a blue mug.", "coffee"))
        store.write_text("ferry.md", note("Robin's ferry sails at 07:40.", "ferry"))
        store.write_text("tabs.md", note("Tabs, not spaces, in all code.", "tabs"))
        return store

    def dreams_of_dropping(self, *files: str) -> None:
        """Let a dream drop these files."""
        paths = [str(self.store.directory / file) for file in files]
        gone = "---\nname: x\ndropped: the person has moved on\n---\n"
        reads = [use("Read", file_path=path) for path in paths]
        writes = [use("Write", file_path=path, content=gone) for path in paths]

        def dream(request: ModelRequest) -> Reply:
            step = request.answers_since
            calls = [reads, writes, []][step]
            made = enumerate(one | {"type": "tool_use"} for one in calls)
            parts = [one | {"id": f"{step}{n}"} for n, one in made]
            return Reply(parts or [say("All is in order.")])

        self.model.roles["dream"] = dream

    def files(self) -> set[str]:
        found = self.base.glob("projects/*/memory/*.md")
        return {path.name for path in found} - {"MEMORY.md"}


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Iterator[Desk]:
    for name in ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    forget_paths()
    before = signal.getsignal(signal.SIGINT)
    yield Desk(tmp_path, monkeypatch, capsys)
    signal.signal(signal.SIGINT, before)


def session_of(said: str) -> str:
    return said.split("--resume ")[1].split()[0]


def test_what_is_told_is_saved_and_recalled_with_its_file(desk: Desk) -> None:
    said = desk.chat("What can you do?", COFFEE, "How do I like my coffee?", "Hm.")
    assert said.startswith("0 memories in ")
    assert "Offline: rules answer, not a language model." in said
    assert said.count("try “Remember") == 1
    assert f"• Saved to memory: {FILE}" in said
    assert f"agent> From memory: I take my coffee black. ({FILE})\n" in said
    assert f"(fallback rules) recalled: {FILE}" in said
    assert desk.files() == {FILE}


ANSWERS = {
    "\ufeff/memry": "Did you mean /memory?",
    "/help": "/forget WORDS | --for-good FILE",
    "/forget zeppelins": "No memory has these words.",
    "/memory robin": "Which one? Name its file:",
    "/memory robin MUG": "in a blue mug",
    "/why nothing.md": "nothing.md",
    "/review accept": "Nothing waits for you.",
    "/undo change-9999": "no change to undo called change-9999",
    "/dream stop": "No dream is running.",
    "/cost": "total",
    f"Remember that my key is {KEY}": "• Not saved: it looks like a secret.",
    "/etc/hosts is a file.": "(plain reply)",
    "/dream": "• The dream ",
}


def test_each_line_is_answered(desk: Desk) -> None:
    assert desk.store
    said = desk.chat(*ANSWERS)
    assert [line for line, shown in ANSWERS.items() if shown not in said] == []
    assert desk.files() == FILES


def test_what_is_forgotten_comes_back_unless_it_is_for_good(desk: Desk) -> None:
    path = desk.store.directory / "coffee.md"
    path.write_text(path.read_text("utf-8") + "\x1b[2J\n", encoding="utf-8")
    forget = "/forget mug|y|/undo|/forget ferry|n|/forget tabs.md|y"
    said = desk.chat(*forget.split("|"))
    assert "in a blue mug" in said
    assert "\x1b" not in said, "a memory cannot steer the terminal"
    assert "Forgot coffee.md. To bring it back: /undo change-" in said
    assert desk.files() == {"coffee.md", "ferry.md"}

    def is_there() -> bool:
        files = [path for path in desk.base.rglob("memory/**/*") if path.is_file()]
        return any(b"blue mug" in path.read_bytes() for path in files)

    erase = "/forget --for-good coffee.md"
    desk.chat(erase, "no", erase, "y e s")
    assert is_there()
    assert "This cannot be undone" in desk.chat(erase, "yes", "/exit", "/undo")
    assert not is_there()


@pytest.mark.parametrize(
    ("typed", "args", "saved"),
    [
        (f"/memory off|{COFFEE}", (), set()),
        (f"/memory read-only|{COFFEE}", (), set()),
        (f"/memory off|{COFFEE}|/memory on|{COFFEE}", (), {FILE}),
        (f"{COFFEE}|I prefer tabs.", ("--memory", "recall-only"), set()),
    ],
)
def test_memory_can_be_switched(
    desk: Desk, typed: str, args: tuple[str, ...], saved: set[str]
) -> None:
    session = session_of(desk.run(*args, typed=f"Hello.|{typed}"))
    assert desk.files() == saved
    desk.run("--resume", session, typed="I prefer tea.")  # it stays as it was
    assert bool(desk.files() - {FILE}) == bool(saved)


@pytest.mark.behaviour("G2")
def test_a_session_is_resumed_by_the_beginning_of_its_id(desk: Desk) -> None:
    one, two = session_of(desk.chat("Hello.")), session_of(desk.chat("Hello."))
    assert session_of(desk.run("--resume", one[:6], typed="Again.")) == one
    assert session_of(desk.run("--continue", typed="Again.")) == one
    (path,) = desk.base.glob(f"projects/*/{one}.jsonl")
    path.with_name(f"{one[:6]}x.jsonl").touch()
    said = desk.run("--resume", one[:6], status=2)
    assert (one in said, two in said) == (True, False)


@pytest.mark.parametrize(
    ("args", "shown"),
    [
        (("--resume", "nonsense"), "there is no session 'nonsense'"),
        (("--continue",), "There is none yet"),
        (("--project", "nowhere"), "this is not a folder"),
        (("--print", ""), "--print"),
        (("--print", "/forget coffee"), "no message"),
    ],
)
def test_what_cannot_begin_is_one_line(desk: Desk, args: Any, shown: str) -> None:
    said = desk.run(*args, status=2)
    assert (shown in said, said.count("\n")) == (True, 1)


@pytest.mark.parametrize(("purpose", "status"), [("", 0), ("main", 1), ("extract", 1)])
def test_one_message_for_scripts_and_its_status(desk: Desk, purpose: str, status: int) -> None:
    if purpose:
        desk.model.faults.add("bad_request", purpose=purpose, times=9)
    said = desk.run("--print", "-", status=status, typed="I prefer tabs in all my code.")
    assert ("Noted." in said) == (purpose != "main")
    assert ("Saved to memory" in said) == bool(desk.files()) == (not purpose)


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


@pytest.mark.behaviour("K5")
@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ("/review accept", {"ferry.md"}),
        ("/dream accept coffee.md", {"ferry.md", "tabs.md"}),
        ("/dream reject", FILES),
    ],
)
def test_a_dream_that_would_drop_much_waits(desk: Desk, decision: str, left: Any) -> None:
    desk.dreams_of_dropping("coffee.md", "tabs.md")
    desk.run("--yes", of=dream.main, status=1)
    said = desk.chat("/dream", decision, "/review")
    assert "? tabs.md dropped: the person has moved on" in said
    assert said.rstrip().endswith("Nothing waits for you.")
    assert desk.files() == left


@pytest.mark.behaviour("K5")
@pytest.mark.parametrize(
    ("typed", "status", "left", "waiting"),
    [
        ("7|2", 0, FILES - {"coffee.md"}, False),
        ("2, 3", 0, {"ferry.md"}, True),
        ("none", 0, FILES, True),
        ("", 1, FILES, True),  # Ctrl-D
    ],
)
def test_the_person_decides_on_each_change_and_can_take_it_back(
    desk: Desk, typed: str, status: int, left: set[str], waiting: bool
) -> None:
    def content() -> dict[str, bytes]:
        found = desk.store.directory.glob("*.md")
        return {path.name: path.read_bytes() for path in found}

    desk.dreams_of_dropping("coffee.md", "tabs.md")
    before = content()
    said = desk.run("--dry-run", of=dream.main)
    assert ("tabs.md dropped: the person" in said, content() == before) == (True, True)
    if waiting:  # too much is dropped for a dream that nobody watches
        desk.run("--yes", of=dream.main, status=1)
        desk.run("--yes", of=dream.main, status=2)
        assert content() == before
    said = desk.run(of=dream.main, typed=typed, person=True, status=status)
    assert ("coffee.md dropped" in said, desk.files()) == (True, left)
    assert is_waiting(desk.store.directory) == (waiting and status == 1)
    if left != FILES:
        desk.store.undo()
    assert content() == before


def test_it_does_not_start_without_a_terminal_or_beside_another(desk: Desk) -> None:
    assert "--yes" in desk.run(of=dream.main, status=2)
    ConsolidationLock(desk.store.directory, pid=os.getppid()).try_acquire()
    assert str(os.getppid()) in desk.run("--yes", of=dream.main, status=2)


def test_a_dream_is_watched_and_stopped(desk: Desk) -> None:
    desk.model.latency = {"dream": Latency(60, 0)}
    said = desk.chat("/dream", "/dream", "/dream stop", "Hello.")
    assert "starting: \nfiles touched: none" in said
    assert "The dream was stopped. The memory is as it was." in said


@pytest.mark.behaviour("L2b")
def test_a_memory_is_personal_after_a_yes(desk: Desk) -> None:
    assert desk.store
    promote = "/memory promote tabs.md"
    assert "personal memory is switched off" in desk.chat(promote, "y")
    desk.patch.setenv("MEMLAB_PERSONAL", "on")
    desk.chat(promote, "no", promote, "y e s")
    assert desk.files() == FILES
    desk.chat(promote, "yes")
    assert desk.files() == FILES - {"tabs.md"}
    desk.chat("/memory demote personal/tabs.md", "yes")
    assert desk.files() == FILES


@pytest.mark.behaviour("M5")
def test_each_purpose_has_a_model_of_its_own(desk: Desk) -> None:
    assert desk.store
    server = ModelServer(OfflineModel()).start()
    desk.patch.setenv("MEMLAB_MODEL", "live")
    desk.patch.setenv("ANTHROPIC_BASE_URL", server.url)
    purposes = ("main", "select", "extract")
    for purpose in purposes:
        desk.patch.setenv(f"MEMLAB_{purpose.upper()}_MODEL", f"my-{purpose}")
    said = desk.chat("Do I want tabs?", "I always take my coffee black.")
    server.stop()
    assert "Live: answers of my-main, my-select, my-extract" in said
    used = {(one.purpose, one.body["model"]) for one in server.model.requests}
    assert used == {(purpose, f"my-{purpose}") for purpose in purposes}


@needs_posix
def test_ctrl_c_stops_the_answer_and_a_killed_chat_loses_nothing(desk: Desk) -> None:
    model = OfflineModel(latency={"main": Latency(60, 0)})
    server, pipe = ModelServer(model).start(), subprocess.PIPE
    desk.patch.setenv("MEMLAB_MODEL", "live")
    desk.patch.setenv("ANTHROPIC_BASE_URL", server.url)
    desk.patch.setenv("PYTHONPATH", os.getcwd())
    command = [sys.executable, "-c", "from memlab.cli.chat import main; main()"]
    talk = subprocess.Popen(command, 1, None, pipe, pipe, text=True, cwd=desk.project)
    assert talk.stdin
    shown = iter(talk.stdout or ())
    assert any("/exit" in line for line in shown)
    print("Tell me of the sea.", file=talk.stdin, flush=True)
    while not model.requests:
        pass
    talk.send_signal(signal.SIGINT)
    assert any("Interrupted." in line for line in shown)
    model.latency = {}
    print(COFFEE, file=talk.stdin, flush=True)
    assert any(FILE in line for line in shown)
    (transcript,) = desk.base.glob("projects/*/*.jsonl")
    assert "open in another chat" in desk.run("--continue", status=2)
    talk.kill()
    talk.wait()
    server.stop()
    assert desk.files() == {FILE}
    desk.patch.setenv("MEMLAB_MODEL", "offline")
    said = desk.run("--resume", transcript.stem[:8], typed="What do I take black?")
    assert f"({FILE})" in said
    assert "Tell me of the sea." in transcript.read_text("utf-8")


def test_a_prompt_of_ones_own_is_shown_and_checked(desk: Desk) -> None:
    desk.patch.setenv("MEMLAB_PROMPTS", str(desk.project))
    assert "No prompt of yours differs" in desk.run("diff", of=prompts.main)
    text = SHIPPED.text("agent").replace("You are a coding agent.", "You are a pilot.")
    (desk.project / "agent.md").write_text(text, encoding="utf-8")
    changed = desk.run("diff", of=prompts.main).splitlines()
    assert [line[:4] for line in changed if line[1:4] == "You"] == ["-You", "+You"]
    assert "agent.md (yours)" in desk.run("list", of=prompts.main)
    text = SHIPPED.text("extract").replace("{{manifest}}", "(removed)")
    (desk.project / "extract.md").write_text(text, encoding="utf-8")
    assert "{{manifest}}" in desk.run("diff", of=prompts.main, status=2)
