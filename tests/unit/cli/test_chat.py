"""The chat as a person uses it: lines typed, lines read, and what is on the disk afterwards."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest

from memlab.cli import chat, dream, why
from memlab.errors import MemlabError
from memlab.evidence.pending import PendingChange
from memlab.memdir.places import forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from memlab.models import Latency, OfflineModel, offline
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply, say
from tests.model_server import ModelServer
from tests.platforms import needs_posix
from tests.unit.agent.helpers import use

COFFEE, FILE = "Remember that I take my coffee black.", "take-my-coffee-black.md"
FILES = {"coffee.md", "ferry.md", "tabs.md"}
KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
MEMORY = "---\nname: {0}\ndescription: about {0}\ntype: user\n---\n\n{1}\n"


class House:
    """A home with a project, in which a person chats."""

    def __init__(
        self, home: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.base, self.project = home / "base", home / "tidebook"
        self.patch, self.capsys = patch, capsys
        self.project.mkdir()

    def run(self, *args: str, status: int = 0, lines: tuple[str, ...] = ()) -> str:
        """Chat with these options; gives what was printed to both streams."""
        self.patch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        try:
            ended = chat.main(["--project", str(self.project), *args])
        except MemlabError as error:  # the command line says it so
            ended = 2
            print(" ".join(str(error).split()))
        printed = self.capsys.readouterr()
        assert ended == status, printed
        return printed.out + printed.err

    def chat(self, *lines: str) -> str:
        """Type these lines."""
        return self.run(lines=lines)

    @cached_property
    def model(self) -> OfflineModel:
        """The model that answers from now on."""
        model = OfflineModel(chat=True)
        self.patch.setattr(offline, "OfflineModel", lambda **options: model)
        return model

    @cached_property
    def store(self) -> MemoryStore:
        """The project's memory, with three files."""
        store = MemoryStore(memory_paths(self.project).memory_dir)
        store.write_text("coffee.md", MEMORY.format("coffee", "Robin drinks it from a blue mug."))
        store.write_text("ferry.md", MEMORY.format("ferry", "Robin's ferry sails at 07:40."))
        store.write_text("tabs.md", MEMORY.format("tabs", "Tabs, not spaces, in all code."))
        return store

    def files(self) -> set[str]:
        found = self.base.glob("projects/*/memory/*.md")
        return {path.name for path in found} - {"MEMORY.md"}


@pytest.fixture
def house(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[House]:
    for name in ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    forget_paths()
    before = signal.getsignal(signal.SIGINT)
    yield House(tmp_path, monkeypatch, capsys)
    signal.signal(signal.SIGINT, before)


def session_of(said: str) -> str:
    return said.split("--resume ")[1].split()[0]


def test_what_is_told_is_saved_and_below_an_answer_is_what_was_recalled(house: House) -> None:
    said = house.chat("What can you do?", COFFEE, "How do I like my coffee?", "Hm.", "/memory")
    assert said.startswith("0 memories in ")
    assert "Offline: rules answer, not a language model." in said
    assert said.count("try “Remember") == 1
    assert f"• Saved to memory: {FILE}" in said
    assert f"agent> From memory: I take my coffee black. ({FILE})\n" in said
    assert f"(fallback rules) recalled: {FILE}" in said
    assert re.search(rf"^{FILE}  today  When it", said, re.M)
    assert house.files() == {FILE}


ANSWERS = {
    "/memry": "Did you mean /memory?",
    "/": "See /help.",
    "/help": "/forget WORDS | --for-good FILE",
    "/forget zeppelins": "No memory has these words.",
    "/memory robin": "Which one? Name its file:",
    "/memory robin MUG": "from a blue mug",
    "/why nothing.md": "nothing.md",
    "/review accept": "Nothing waits for you.",
    "/undo change-9999": "no change to undo called change-9999",
    "/dream stop": "No dream is running.",
    "/cost": "total",
    f"Remember that my key is {KEY}": "• Not saved: it looks like a secret.",
    "/etc/hosts is a file.": "(plain reply)",
    "/dream": "• The dream ",
}


def test_each_line_is_answered(house: House) -> None:
    assert house.store
    said = house.chat(*ANSWERS)
    assert [line for line, shown in ANSWERS.items() if shown not in said] == []
    assert house.files() == FILES


def test_what_is_forgotten_is_shown_and_can_be_taken_back(house: House) -> None:
    path = house.store.directory / "coffee.md"
    path.write_text(path.read_text("utf-8") + "\x1b[2J\n", encoding="utf-8")
    said = house.chat(
        "/forget blue mug", "y", "/undo", "/forget ferry", "n", "/forget tabs.md", "y"
    )
    assert "from a blue mug" in said
    assert "\x1b" not in said, "a memory cannot steer the terminal"
    assert "Forgot coffee.md. To bring it back: /undo change-" in said
    assert "Took back change-" in said
    assert house.files() == {"coffee.md", "ferry.md"}


def test_for_good_needs_a_clear_yes(house: House) -> None:
    def is_there() -> bool:
        files = [path for path in house.store.directory.rglob("*") if path.is_file()]
        return any(b"blue mug" in path.read_bytes() for path in files)

    erase = "/forget --for-good coffee.md"
    assert is_there()
    house.chat(erase, "no", erase, "")
    assert is_there()
    assert "This cannot be undone" in house.chat(erase, "yes", "/exit", "/undo")
    assert not is_there()


@pytest.mark.parametrize(
    ("lines", "args", "saved"),
    [
        (("/memory off", COFFEE), (), set()),
        (("/memory read-only", COFFEE), (), set()),
        (("/memory off", COFFEE, "/memory on", COFFEE), (), {FILE}),
        ((COFFEE, "I prefer tabs."), ("--memory", "recall-only"), set()),
    ],
)
def test_memory_can_be_switched(
    house: House, lines: tuple[str, ...], args: tuple[str, ...], saved: set[str]
) -> None:
    session = session_of(house.run(*args, lines=("Hello.", *lines)))
    assert house.files() == saved
    house.run("--resume", session, lines=("I prefer tea.",))  # it stays as it was
    assert bool(house.files() - {FILE}) == bool(saved)


@pytest.mark.behaviour("G2")
def test_a_session_is_resumed_by_the_beginning_of_its_id(house: House) -> None:
    one, two = session_of(house.chat("Hello.")), session_of(house.chat("Hello."))
    assert session_of(house.run("--resume", one[:6], lines=("Again.",))) == one
    assert session_of(house.run("--continue", lines=("Again.",))) == one
    (next(house.base.glob(f"projects/*/{one}.jsonl")).parent / f"{one[:6]}x.jsonl").touch()
    said = house.run("--resume", one[:6], status=2)
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
def test_what_cannot_begin_is_one_line(house: House, args: tuple[str, ...], shown: str) -> None:
    said = house.run(*args, status=2)
    assert (shown in said, said.count("\n")) == (True, 1)


@pytest.mark.behaviour("A11")
def test_sentences_that_wait_are_decided_on(house: House) -> None:
    for text in ("Tea is good.", "So is gin.", "And rum."):
        house.store.hold([PendingChange("coffee.md", text, why="unsupported", who="dream")])
    said = house.chat("/review", "/review accept 1", "/review reject 1", "/why coffee.md")
    assert "2  coffee.md: So is gin. — unsupported" in said
    assert "origin: " in said
    assert [one.text for one in house.store.waiting()] == ["And rum."]
    assert "Tea is good." in house.store.read("coffee.md").body
    assert why.main(["coffee.md", "--project", str(house.project)]) == 0
    assert "origin: " in house.capsys.readouterr().out


def drops_two(request: ModelRequest, directory: Path) -> Reply:
    """Dream as a model does that drops two of three files."""
    paths = [str(directory / name) for name in ("coffee.md", "tabs.md")]
    gone = "---\nname: x\ndropped: the person has moved on\n---\n"
    reads = [use("Read", file_path=path) for path in paths]
    writes = [use("Write", file_path=path, content=gone) for path in paths]
    step = request.answers_since
    calls = [reads, writes, []][step]
    parts = [{"type": "tool_use", "id": f"{step}{n}", **one} for n, one in enumerate(calls)]
    return Reply(parts or [say("All is in order.")])


@pytest.mark.behaviour("K5")
@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ("/review accept", {"ferry.md"}),
        ("/dream accept coffee.md", {"ferry.md", "tabs.md"}),
        ("/dream reject", FILES),
    ],
)
def test_a_dream_that_would_drop_much_waits(house: House, decision: str, left: set[str]) -> None:
    memory = house.store.directory
    house.model.roles["dream"] = lambda request: drops_two(request, memory)
    assert dream.main(["--project", str(house.project), "--yes"]) == 1
    said = house.chat("/dream", decision, "/review")
    assert "? tabs.md dropped: the person has moved on" in said
    assert said.rstrip().endswith("Nothing waits for you.")
    assert house.files() == left


def test_a_dream_is_watched_and_stopped(house: House) -> None:
    house.model.latency = {"dream": Latency(60, 0)}
    said = house.chat("/dream", "/dream", "/dream stop", "Hello.")
    assert "Dreaming. Go on" in said
    assert "starting: \nfiles touched: none" in said
    assert "The dream was stopped. The memory is as it was." in said


@pytest.mark.behaviour("L2b")
def test_a_memory_is_personal_after_a_yes(house: House) -> None:
    assert house.store
    assert "personal memory is switched off" in house.chat("/memory promote tabs.md", "y")
    house.patch.setenv("MEMLAB_PERSONAL", "on")
    said = house.chat("/memory promote tabs.md", "no", "/memory promote tabs.md", "yes", "/memory")
    assert "personal/tabs.md" in said
    assert house.files() == FILES - {"tabs.md"}
    house.chat("/memory demote personal/tabs.md", "yes")
    assert house.files() == FILES


@pytest.mark.parametrize(("purpose", "status"), [("", 0), ("main", 1), ("extract", 1)])
def test_one_message_for_scripts_and_its_exit_status(
    house: House, purpose: str, status: int
) -> None:
    if purpose:
        house.model.faults.add("bad_request", purpose=purpose, times=9)
    said = house.run("--print", "-", status=status, lines=("I prefer tabs in all my code.",))
    assert ("Noted." in said) == (purpose != "main")
    assert ("Saved to memory" in said) == bool(house.files()) == (not purpose)


@pytest.mark.behaviour("M5")
def test_each_purpose_has_a_model_of_its_own(house: House) -> None:
    assert house.store
    server = ModelServer(OfflineModel()).start()
    house.patch.setenv("MEMLAB_MODEL", "live")
    house.patch.setenv("ANTHROPIC_BASE_URL", server.url)
    for purpose in ("main", "select", "extract"):
        house.patch.setenv(f"MEMLAB_{purpose.upper()}_MODEL", f"my-{purpose}")
    said = house.chat("Do I want tabs?", "I always take my coffee black.")
    server.stop()
    assert "Live: answers of my-main, my-select, my-extract" in said
    used = {(one.purpose, one.body["model"]) for one in server.model.requests}
    assert used == {(purpose, f"my-{purpose}") for purpose in ("main", "select", "extract")}


@needs_posix
def test_ctrl_c_stops_the_answer_and_a_killed_chat_loses_nothing(house: House) -> None:
    model = OfflineModel(latency={"main": Latency(60, 0)})
    server, pipe = ModelServer(model).start(), subprocess.PIPE
    live = {"MEMLAB_MODEL": "live", "ANTHROPIC_BASE_URL": server.url, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, "-c", "from memlab.cli.chat import main; main()"]
    talk = subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, cwd=house.project, env=os.environ | live
    )
    shown = iter(talk.stdout or ())

    def type_line(line: str) -> None:
        assert talk.stdin
        print(line, file=talk.stdin, flush=True)

    def wait_for(word: str) -> None:
        assert any(word in line for line in shown), word

    wait_for("/exit")
    type_line("Tell me of the sea.")
    while not model.requests:
        pass
    talk.send_signal(signal.SIGINT)
    wait_for("Interrupted.")
    model.latency = {}
    type_line(COFFEE)
    wait_for(FILE)
    (transcript,) = house.base.glob("projects/*/*.jsonl")
    assert "open in another chat" in house.run("--continue", status=2)
    talk.kill()
    talk.wait()
    server.stop()
    assert house.files() == {FILE}
    said = house.run("--resume", transcript.stem[:8], lines=("What do I take black?",))
    assert f"({FILE})" in said
    assert "Tell me of the sea." in transcript.read_text("utf-8")
