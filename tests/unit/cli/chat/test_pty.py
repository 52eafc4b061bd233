"""The chat in a real pseudo-terminal: what a person types, Ctrl-C and Ctrl-D included."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from memlab.models import Latency, OfflineModel
from memlab.models.server import OfflineServer
from tests.platforms import needs_readline, needs_terminal

pytestmark = needs_terminal
ROOT = Path(__file__).resolve().parents[4]
PATIENCE = 30.0
CTRL_C, CTRL_D = "\x03", "\x04"
MODULE = "memlab.cli.chat.conversation"


class Terminal:
    """A chat in a terminal of its own."""

    def __init__(self, home: Path, *arguments: str, **environ: str) -> None:
        self.master, slave = os.openpty()
        astray = ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")
        env = {name: value for name, value in os.environ.items() if name not in astray}
        env |= {"MEMLAB_HOME": str(home / "base"), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
        env |= {"TERM": "dumb"} | environ
        command = [sys.executable, "-m", "memlab.cli.installed", "chat", MODULE, *arguments]
        (home / "tidebook").mkdir(exist_ok=True)
        self.process = subprocess.Popen(
            command,
            cwd=home / "tidebook",
            env=env,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_own_terminal,
        )
        os.close(slave)
        self.shown = ""
        self._read = 0

    def wait_for(self, text: str) -> str:
        """Wait until a text comes; give all that came since the last wait."""
        until = time.monotonic() + PATIENCE
        while text not in self.shown[self._read :]:
            assert time.monotonic() < until, f"no {text!r} in {self.shown[self._read :]!r}"
            self._take(0.2)
        end = self.shown.index(text, self._read) + len(text)
        came, self._read = self.shown[self._read : end], end
        return came

    def type(self, text: str) -> None:
        """Type a line at the prompt."""
        self.wait_for("you> ")
        self.press(f"{text}\n")

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def interrupt(self, text: str) -> None:
        """Press Ctrl-C until a text comes: a press just after the prompt waits for the next key."""
        for _ in range(int(PATIENCE)):
            self.press(CTRL_C)
            self._take(1.0)
            if text in self.shown[self._read :]:
                break
        self.wait_for(text)

    def _take(self, seconds: float) -> None:
        if select.select([self.master], [], [], seconds)[0]:
            with suppress(OSError):
                self.shown += os.read(self.master, 65_536).decode("utf-8", "replace")

    def ended(self) -> int:
        """Wait for the end, and give the exit status."""
        with suppress(OSError):
            while select.select([self.master], [], [], PATIENCE)[0]:
                if not (data := os.read(self.master, 65_536)):
                    break
                self.shown += data.decode("utf-8", "replace")
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def _own_terminal() -> None:
    """Make the pseudo-terminal the one that Ctrl-C comes from."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def start(terminals: list[Terminal], home: Path, *arguments: str, **environ: str) -> Terminal:
    terminals.append(Terminal(home, *arguments, **environ))
    return terminals[-1]


def memories(home: Path) -> list[str]:
    found = home.glob("base/projects/*/memory/*.md")
    return sorted(path.name for path in found if path.name != "MEMORY.md")


def test_told_in_one_session_used_in_the_next_and_forgotten_on_request(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    one = start(terminals, tmp_path)
    one.type("I prefer tabs, not spaces, in all my code.")
    one.wait_for("You said")
    one.wait_for("you> ")
    one.press(CTRL_D)
    assert one.ended() == 0
    assert "Saved to memory: " in one.shown
    assert len(memories(tmp_path)) == 1

    two = start(terminals, tmp_path)
    two.type("Do I want tabs?")
    assert "I prefer tabs, not spaces" in two.wait_for("in all my code.”")
    two.type("forget about the tabs")
    two.wait_for("Dropped from memory: ")
    assert memories(tmp_path) == []
    two.type("/undo")
    two.wait_for("Took back ")
    assert len(memories(tmp_path)) == 1
    two.type("/forget tabs")
    two.wait_for("which?")
    two.press("1\n")
    two.wait_for("Forgot ")
    two.type("/quit")
    assert two.ended() == 0
    assert memories(tmp_path) == []

    three = start(terminals, tmp_path)
    three.type("Do I want tabs?")
    three.wait_for("this request: none.")
    three.type("/quit")
    assert three.ended() == 0


def test_ctrl_c_stops_the_answer_and_not_the_program(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    model = OfflineModel(latency={"main": Latency(20, 0), "select": Latency(0, 0)})
    server = OfflineServer(model).start()
    try:
        chat = start(terminals, tmp_path, MEMLAB_MODEL="live", ANTHROPIC_BASE_URL=server.url)
        chat.type("Hello.")
        while not any(one.purpose == "main" for one in model.requests):
            select.select([], [], [], 0.02)
        chat.press(CTRL_C)
        chat.wait_for("Interrupted.")
        model.latency["main"] = Latency(0, 0)
        chat.type("Hello again.")
        chat.wait_for("You said: 'Hello again.'")
        chat.type("/quit")
        assert chat.ended() == 0
    finally:
        server.stop()


def test_ctrl_c_at_the_prompt_leaves_at_the_second_time_in_a_row(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    chat = start(terminals, tmp_path)
    chat.wait_for("you> ")
    chat.interrupt("To leave, press Ctrl-C again")
    chat.type("Hello.")
    chat.wait_for("You said: 'Hello.'")
    chat.wait_for("you> ")
    chat.interrupt("To leave, press Ctrl-C again")
    chat.wait_for("you> ")
    chat.interrupt("To continue later: --resume ")
    assert chat.ended() == 0


def test_saving_waits_for_the_persons_yes(terminals: list[Terminal], tmp_path: Path) -> None:
    chat = start(terminals, tmp_path, "--ask")
    chat.type("Remember that I take my coffee black.")
    chat.wait_for("yes or no?")
    assert memories(tmp_path) == []
    chat.press("no\n")
    chat.wait_for("does not want this saved")
    chat.type("I prefer tabs, not spaces, in all my code.")  # this one is asked in the background
    chat.wait_for("yes or no?")
    chat.press("yes\n")
    chat.wait_for("Saved to memory: ")
    chat.type("/quit")
    assert chat.ended() == 0
    assert len(memories(tmp_path)) == 1


@needs_readline
def test_what_was_typed_comes_back_with_the_arrow_key(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    one = start(terminals, tmp_path)
    one.type("/cost")
    one.type("/quit")
    assert one.ended() == 0
    history = tmp_path / "base" / "chat_history"
    assert "/cost" in history.read_text("utf-8")
    assert history.stat().st_mode & 0o077 == 0
    two = start(terminals, tmp_path)
    two.wait_for("you> ")
    two.press("\x10\x10\n")  # Ctrl-P, twice: the line before the last
    two.wait_for("purpose")
    two.type("/quit")
    assert two.ended() == 0


def test_a_command_runs_only_after_a_yes(terminals: list[Terminal], tmp_path: Path) -> None:
    play = tmp_path / "play.yaml"
    play.write_text(
        "title: shell\n"
        "turns:\n"
        "  - user: make it\n"
        "    steps:\n"
        "      - tools:\n"
        "          - {name: Bash, input: {command: touch made}}\n"
        "      - say: made it\n",
        encoding="utf-8",
    )
    from memlab.models import load_screenplay

    model = OfflineModel(screenplays=[load_screenplay(play)])
    server = OfflineServer(model).start()
    try:
        live = {"MEMLAB_MODEL": "live", "ANTHROPIC_BASE_URL": server.url}
        chat = start(terminals, tmp_path, "--shell", **live)
        for answer, there in (("n", False), ("y", True)):
            chat.type("make it")
            chat.wait_for("Run this command? touch made")
            chat.wait_for("yes or no?")
            chat.press(f"{answer}\n")
            chat.wait_for("made it")
            assert (tmp_path / "tidebook" / "made").exists() == there
        chat.type("/quit")
        assert chat.ended() == 0
    finally:
        server.stop()


def test_a_dreams_changes_wait_for_the_person(terminals: list[Terminal], tmp_path: Path) -> None:
    first = start(terminals, tmp_path)
    first.type("Remember that I take my coffee black.")
    first.wait_for("Saved to memory: ")
    first.type("/quit")
    assert first.ended() == 0
    (index,) = tmp_path.glob("base/projects/*/memory/MEMORY.md")
    sound = index.read_text("utf-8")
    crooked = sound + "- [Gone](gone.md) — nothing is there\n"
    index.write_text(crooked, encoding="utf-8")

    chat = start(terminals, tmp_path)
    chat.type("/dream")
    chat.wait_for("A dream wants to change 1 file")
    chat.press("/dream status\n")
    chat.wait_for("It is waiting for you")
    chat.type("/dream receipt")
    chat.wait_for("+ MEMORY.md index")
    chat.type("/dream reject")
    chat.wait_for("The dream changed nothing.")
    assert index.read_text("utf-8") == crooked
    chat.type("/dream")
    chat.wait_for("A dream wants to change 1 file")
    chat.press("/dream accept\n")
    chat.wait_for("The dream ")
    chat.type("/dream")
    chat.wait_for("Dreaming.")
    chat.type("/quit")
    assert chat.ended() == 0
    assert index.read_text("utf-8") == sound
