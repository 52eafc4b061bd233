"""The chat as a person uses it: lines typed, lines read, and what is on the disk afterwards."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memlab.cli import chat as chat_command
from memlab.cli import dream, why
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

Chat = Callable[..., str]
COFFEE = "Remember that I take my coffee black."
FILE = "take-my-coffee-black.md"
LIVE = ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")
FILES = {"MEMORY.md", "coffee.md", "ferry.md", "tabs.md"}
KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in LIVE:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / "base"))
    (tmp_path / "tidebook").mkdir()
    forget_paths()
    return tmp_path / "base"


@pytest.fixture
def chat(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Chat]:
    """Type these lines; gives what was printed to both streams."""
    before = signal.getsignal(signal.SIGINT)

    def run(*lines: str, args: tuple[str, ...] = (), status: int = 0) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        try:
            ended = chat_command.main(["--project", str(tmp_path / "tidebook"), *args])
        except MemlabError as error:  # the command line says it so
            ended = 2
            print(" ".join(str(error).split()))
        printed = capsys.readouterr()
        assert ended == status, printed
        return printed.out + printed.err

    yield run
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def store(base: Path, tmp_path: Path) -> MemoryStore:
    """The project's memory, with three files."""
    store = MemoryStore(memory_paths(tmp_path / "tidebook").memory_dir)
    for name, body in (
        ("coffee", "Robin drinks coffee black, from the blue mug."),
        ("ferry", "The ferry sails at 07:40 from the old quay."),
        ("tabs", "Tabs, not spaces, in all code."),
    ):
        header = f"---\nname: {name}\ndescription: about {name}\ntype: user\n---\n"
        store.write_text(f"{name}.md", f"{header}\n{body}\n")
    return store


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> OfflineModel:
    """The model that answers in the chat."""
    model = OfflineModel(chat=True)
    monkeypatch.setattr(offline, "OfflineModel", lambda **options: model)
    return model


def drops_two(request: ModelRequest, directory: Path) -> Reply:
    """Dream as a model does that drops two of three files."""
    paths = [str(directory / name) for name in ("coffee.md", "tabs.md")]
    gone = "---\nname: x\ndropped: the person has moved on\n---\n"
    steps = (
        [use("Read", file_path=path) for path in paths],
        [use("Write", file_path=path, content=gone) for path in paths],
    )
    step = request.answers_since
    if step > 1:
        return Reply([say("All is in order.")])
    return Reply(
        [{"type": "tool_use", "id": f"{step}{n}", **one} for n, one in enumerate(steps[step])]
    )


def memories(base: Path) -> list[str]:
    files = base.glob("projects/*/memory/*.md")
    return sorted(path.name for path in files if path.name != "MEMORY.md")


def session_of(said: str) -> str:
    return said.split("--resume ")[1].split()[0]


def test_what_is_told_is_saved_and_below_an_answer_is_what_was_recalled(
    chat: Chat, base: Path
) -> None:
    said = chat(COFFEE, "How do I like my coffee?", "/memory", f"/memory {FILE}")
    assert said.startswith("0 memories in ")
    assert "Offline: rules answer, not a language model." in said
    assert f"• Saved to memory: {FILE}" in said
    assert f"agent> From memory: I take my coffee black. ({FILE})\n" in said
    assert f"(fallback rules) recalled: {FILE}" in said
    assert re.search(rf"^{FILE}  today  When it", said, re.M)
    assert "type: user" in said
    assert memories(base) == [FILE]


def test_offline_it_says_once_what_can_be_tried(chat: Chat) -> None:
    assert chat("What can you do?", "Explain binary search.").count("try “Remember") == 1


ANSWERS = {
    "/memry": "Did you mean /memory?",
    "/": "See /help.",
    "/help": "/forget WORDS | --for-good FILE",
    "/forget zeppelins": "No memory has these words.",
    "/forget": "Say what to forget",
    "/memory o": "Which one? Name its file:",
    "/memory robin blue": "drinks coffee black",
    "/why": "/why FILE",
    "/why nothing.md": "nothing.md",
    "/recall": "Nothing has been recalled.",
    "/review": "Nothing waits for you.",
    "/review accept": "Nothing waits for you.",
    "/undo change-9999": "no change to undo called change-9999",
    "/dream stop": "No dream is running.",
    "/dream status": "No dream in this session.",
    "/cost": "total",
    f"Remember that my key is {KEY}": "• Not saved: it looks like a secret.",
    "/etc/hosts is a file.": "(plain reply)",
    "/dream": "• The dream ",
}


def test_each_line_is_answered(chat: Chat, store: MemoryStore) -> None:
    said = chat(*ANSWERS)
    for line, shown in ANSWERS.items():
        assert shown in said, line
    assert {path.name for path in store.directory.glob("*.md")} == FILES


def test_what_is_forgotten_is_shown_and_can_be_taken_back(chat: Chat, store: MemoryStore) -> None:
    said = chat("/forget blue mug", "y", "/undo", "/forget ferry", "n", "/forget tabs.md", "y")
    assert "from the blue mug" in said
    assert "Forgot coffee.md. To bring it back: /undo change-" in said
    assert "Took back change-" in said
    assert {path.name for path in store.directory.glob("*.md")} == FILES - {"tabs.md"}


def test_for_good_needs_a_clear_yes(chat: Chat, store: MemoryStore) -> None:
    def is_there() -> bool:
        files = [path for path in store.directory.rglob("*") if path.is_file()]
        return any(b"blue mug" in path.read_bytes() for path in files)

    erase = "/forget --for-good coffee.md"
    chat(erase, "no", erase, "")
    assert is_there()
    assert "Erase coffee.md and every copy" in chat(erase, "yes", "/exit", "/undo")
    assert not is_there()


@pytest.mark.parametrize(
    ("lines", "args", "saved"),
    [
        (("/memory off", COFFEE), (), 0),
        (("/memory read-only", COFFEE), (), 0),
        (("/memory off", COFFEE, "/memory on", COFFEE), (), 1),
        ((COFFEE, "I prefer tabs."), ("--memory", "recall-only"), 0),
    ],
)
def test_memory_can_be_switched(
    chat: Chat, base: Path, lines: tuple[str, ...], args: tuple[str, ...], saved: int
) -> None:
    session = session_of(chat("Hello.", *lines, args=args))
    assert len(memories(base)) == saved
    if lines[0] == "/memory off" and not saved:  # so does the session that is resumed
        assert "memory off)" in chat(COFFEE, args=("--resume", session))
        assert memories(base) == []


@pytest.mark.behaviour("G2")
def test_a_session_is_resumed_by_the_beginning_of_its_id(chat: Chat, base: Path) -> None:
    one, two = session_of(chat("Hello.")), session_of(chat("Hello."))
    assert session_of(chat("And again.", args=("--resume", one[:6]))) == one
    assert session_of(chat("And again.", args=("--continue",))) == one
    folder = next(base.glob(f"projects/*/{one}.jsonl")).parent
    (folder / f"{one[:6]}x.jsonl").touch()
    said = chat(args=("--resume", one[:6]), status=2)
    assert (one in said, two in said) == (True, False)


@pytest.mark.parametrize(
    ("settings", "args"),
    [
        ("{}", ("--resume", "nonsense")),
        ("{}", ("--continue",)),
        ("{}", ("--project", "nowhere")),
        ('{"recall": "perhaps"}', ()),
    ],
)
def test_what_cannot_begin_is_one_line(
    chat: Chat, base: Path, settings: str, args: tuple[str, ...]
) -> None:
    base.mkdir()
    (base / "settings.json").write_text(settings)
    assert chat(args=args, status=2).count("\n") == 1


@pytest.mark.behaviour("A11")
def test_sentences_that_wait_are_decided_on(
    chat: Chat, store: MemoryStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ("Tea is good.", "So is gin.", "And rum.")
    held = [PendingChange("coffee.md", text, why="unsupported", who="dream") for text in texts]
    store.hold(held)
    said = chat("/review", "/review accept 1", "/review reject 1", "/review", "/why coffee.md")
    assert "2  coffee.md: So is gin. — unsupported" in said
    assert [one.text for one in store.waiting()] == ["And rum."]
    assert "Tea is good." in store.read("coffee.md").body
    assert "origin: " in said
    for more in ((), ("--confirm",)):
        assert why.main(["coffee.md", "--project", str(tmp_path / "tidebook"), *more]) == 0
        assert re.search("origin: |coffee.md", capsys.readouterr().out)


@pytest.mark.behaviour("K5")
@pytest.mark.parametrize(
    ("decision", "left"),
    [
        ("/review accept", {"ferry.md"}),
        ("/dream accept coffee.md", {"ferry.md", "tabs.md"}),
        ("/dream reject", {"coffee.md", "ferry.md", "tabs.md"}),
    ],
)
def test_a_dream_that_would_drop_much_waits(
    chat: Chat,
    store: MemoryStore,
    model: OfflineModel,
    tmp_path: Path,
    decision: str,
    left: set[str],
) -> None:
    model.roles["dream"] = lambda request: drops_two(request, store.directory)
    assert dream.main(["--project", str(tmp_path / "tidebook"), "--yes"]) == 1
    said = chat("/dream", decision, "/review")
    assert "? tabs.md dropped: the person has moved on" in said
    assert said.rstrip().endswith("Nothing waits for you.")
    found = {path.name for path in store.directory.glob("*.md")}
    assert found - {"MEMORY.md"} == left


def test_a_dream_is_watched_and_stopped(
    chat: Chat, store: MemoryStore, model: OfflineModel
) -> None:
    model.latency = {"dream": Latency(60, 0)}
    said = chat("/dream", "/dream", "/dream stop", "Hello.")
    assert "Dreaming. Go on" in said
    assert "starting: \nfiles touched: none" in said
    assert "The dream was stopped. The memory is as it was." in said


@pytest.mark.behaviour("L2b")
def test_a_memory_is_personal_after_a_yes(
    chat: Chat, base: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "personal memory is switched off" in chat("/memory promote tabs.md", "y")
    monkeypatch.setenv("MEMLAB_PERSONAL", "on")
    assert "Tabs, not spaces" in chat("/memory promote tabs.md", "no")
    chat("/memory promote tabs.md", "yes")
    assert "personal/tabs.md" in chat("/memory")
    chat("/memory demote personal/tabs.md", "yes")
    assert (store.directory / "tabs.md").exists()


def test_a_memory_cannot_steer_the_terminal(chat: Chat, store: MemoryStore) -> None:
    path = store.directory / "tabs.md"
    path.write_text(path.read_text("utf-8") + "\x1b]0;owned\x07\x1b[2J\n", encoding="utf-8")
    said = chat("/memory tabs.md")
    assert "owned" in said
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("message", "status", "shown"),
    [
        (COFFEE, 0, f"Saved to memory: {FILE}"),
        ("", 2, "--print"),
        ("/forget coffee", 2, "no message"),
    ],
)
def test_one_message_for_scripts(chat: Chat, message: str, status: int, shown: str) -> None:
    assert shown in chat(message, args=("--print", "-"), status=status)


@pytest.mark.parametrize("purpose", ["main", "extract"])
def test_a_script_learns_of_a_failure(chat: Chat, model: OfflineModel, purpose: str) -> None:
    model.faults.add("bad_request", purpose=purpose, times=9)
    said = chat(args=("--print", "I prefer tabs, not spaces, in all my code."), status=1)
    assert ("Noted." in said) == (purpose == "extract")


@pytest.mark.behaviour("M5")
def test_each_purpose_has_a_model_of_its_own(
    chat: Chat, base: Path, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = ModelServer(OfflineModel()).start()
    monkeypatch.setenv("MEMLAB_MODEL", "live")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    names = {"main": "big", "select": "tiny", "extract": "small", "dream": "slow"}
    for purpose, name in names.items():
        monkeypatch.setenv(f"MEMLAB_{purpose.upper()}_MODEL", name)
    said = chat("Do I want tabs?", "I always take my coffee black.", "/dream")
    server.stop()
    assert "Live: answers of big, tiny, small, slow, at http://127.0.0.1:" in said
    used = {one.purpose: one.body["model"] for one in server.model.requests}
    assert used.items() <= names.items()
    assert used.keys() >= {"main", "select", "extract"}


class Process:
    """A chat in a process of its own, with a model that is served here."""

    def __init__(self, project: Path, url: str) -> None:
        live = {"MEMLAB_MODEL": "live", "ANTHROPIC_BASE_URL": url, "PYTHONPATH": os.getcwd()}
        command = [sys.executable, "-c", "from memlab.cli.chat import main; main()"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command,
            cwd=project,
            env=os.environ | live,
            stdin=pipe,
            stdout=pipe,
            text=True,
            bufsize=1,
        )

    def type(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")

    def wait_for(self, word: str) -> None:
        assert self.process.stdout
        while word not in (line := self.process.stdout.readline()):
            assert line, f"it ended without {word!r}"


@needs_posix
def test_ctrl_c_stops_the_answer_and_a_killed_chat_loses_nothing(
    chat: Chat, base: Path, tmp_path: Path
) -> None:
    model = OfflineModel(latency={"main": Latency(60, 0)})
    server = ModelServer(model).start()
    talk = Process(tmp_path / "tidebook", server.url)
    talk.wait_for("/exit")
    talk.type("Tell me of the sea.")
    while not model.requests:
        pass
    talk.process.send_signal(signal.SIGINT)
    talk.wait_for("Interrupted.")
    model.latency = {}
    talk.type(COFFEE)
    talk.wait_for(FILE)
    (transcript,) = base.glob("projects/*/*.jsonl")
    assert "open in another chat" in chat(args=("--resume", transcript.stem), status=2)
    talk.process.kill()
    talk.process.wait()
    server.stop()
    assert memories(base) == [FILE]
    assert f"({FILE})" in chat("What do I take black?", args=("--continue",))
    assert "Tell me of the sea." in transcript.read_text("utf-8")
