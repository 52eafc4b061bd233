"""The chat in a real pseudo-terminal: what a person types, Tab, Ctrl-C and Ctrl-D included."""

from __future__ import annotations

import os
import re
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from memlab.models import Latency, OfflineModel, load_script
from tests.model_server import ModelServer
from tests.platforms import needs_terminal

pytestmark = needs_terminal
ROOT = Path(__file__).resolve().parents[4]
PATIENCE = 30.0
PROMPT = "you>"
CTRL_C, CTRL_D, CTRL_P = "\x03", "\x04", "\x10"
PASTE = "\x1b[200~{}\x1b[201~"
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\].*?(?:\x07|\x1b\\)|[ -/]*[0-~])|[\r\a]")
_STYLE = re.compile(r"\x1b\[(?!0?m)[\d;]+m")
_WHERE_IS_THE_CURSOR = "\x1b[6n"
COFFEE = "Remember that I take my coffee black."
TABS = "I prefer tabs, not spaces, in all my code."
NOT_UNDERSTOOD = "Offline, rules answer and understand only a few things"
NOTHING = "Nothing to remember here."


class Terminal:
    """A chat in a terminal of its own; ``shown`` is what it wrote, without control sequences."""

    def __init__(self, home: Path, *arguments: str, columns: int = 80, **environ: str) -> None:
        import fcntl
        import termios

        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        astray = ("MEMLAB_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "NO_COLOR")
        env = {name: value for name, value in os.environ.items() if name not in astray}
        env |= {"MEMLAB_HOME": str(home / "base"), "PYTHONPATH": str(ROOT)}
        env |= {"TERM": "xterm-256color"} | environ
        command = [sys.executable, "-m", "memlab", "chat", *arguments]
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
        self.raw = ""
        self._read = 0
        self._answered = 0

    @property
    def shown(self) -> str:
        return _ESCAPE.sub("", self.raw)

    def wait_for(self, text: str) -> str:
        """Wait until a text comes, wherever its lines end; give all that came since the last."""
        assert self._comes(text, PATIENCE), f"no {text!r} in {self.shown[self._read :]!r}"
        found = self._find(text)
        assert found
        came, self._read = self.shown[self._read : found.end()], found.end()
        return " ".join(came.split())

    def _find(self, text: str) -> re.Match[str] | None:
        spaced = r"\s+".join(map(re.escape, text.split(" ")))
        return re.compile(spaced).search(self.shown, self._read)

    def type(self, text: str) -> None:
        """Type a line at the prompt."""
        self.wait_for(PROMPT)
        self.press(f"{text}\r")

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def interrupt(self, text: str) -> None:
        """Press Ctrl-C until a text comes: a press just after the prompt waits for the next key."""
        for _ in range(int(PATIENCE)):
            self.press(CTRL_C)
            if self._comes(text, 1.0):
                break
        self.wait_for(text)

    def _comes(self, text: str, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while not self._find(text):
            if time.monotonic() > until or not self._take(0.2):
                return self._find(text) is not None
        return True

    def _take(self, seconds: float) -> bool:
        """Take what was written, and say where the cursor is, as a terminal does when asked."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.master, 65_536)
        except OSError:
            return False
        self.raw += data.decode("utf-8", "replace")
        while self.raw.count(_WHERE_IS_THE_CURSOR) > self._answered:
            self._answered += 1
            self.press("\x1b[24;1R")
        return bool(data)

    def leave(self) -> str:
        """Wait for the end; give all that was shown."""
        with suppress(OSError):
            while self._take(PATIENCE):
                if self.process.poll() is not None and not select.select([self.master], [], [], 0):
                    break
        assert self.process.wait(PATIENCE) == 0
        return self.shown

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def _own_terminal() -> None:
    """Make the pseudo-terminal the one that Ctrl-C comes from."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class House:
    """A home in which chats are started one after the other."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.history = home / "base" / "chat_history"
        self.opened: list[Terminal] = []

    def chat(self, *arguments: str, columns: int = 80, **environ: str) -> Terminal:
        self.opened.append(Terminal(self.home, *arguments, columns=columns, **environ))
        return self.opened[-1]

    def memories(self) -> list[str]:
        found = self.home.glob("base/projects/*/memory/*.md")
        return sorted(path.name for path in found if path.name != "MEMORY.md")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    for terminal in house.opened:
        terminal.close()


@contextmanager
def served(model: OfflineModel) -> Iterator[dict[str, str]]:
    """Serve a model of the test's own; gives the environment in which the chat uses it."""
    server = ModelServer(model).start()
    try:
        yield {"MEMLAB_MODEL": "live", "ANTHROPIC_BASE_URL": server.url}
    finally:
        server.stop()


class _SavesWhenTold(OfflineModel):
    """Lets an extraction wait until the test says so."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def respond(self, *request: object) -> httpx2.Response:
        answer = super().respond(*request)  # type: ignore[arg-type]
        if self.requests[-1].purpose == "extract":
            self.go.wait(PATIENCE)
        return answer


def test_told_in_one_session_used_in_the_next_and_forgotten_on_request(house: House) -> None:
    one = house.chat()
    one.type(TABS)
    one.wait_for("Once it is saved")
    one.wait_for(PROMPT)
    one.press(CTRL_D)
    assert "Saved to memory: " in one.leave()
    assert len(house.memories()) == 1

    two = house.chat()
    two.type("Do I want tabs?")
    assert "I prefer tabs, not spaces" in two.wait_for("in all my code.")
    two.type("forget about the tabs")
    two.wait_for("Dropped from memory: ")
    assert house.memories() == []
    two.type("/undo")
    two.wait_for("Took back ")
    assert len(house.memories()) == 1
    two.type("/forget tabs")
    two.wait_for("[y/N]")
    two.press("y\r")
    two.wait_for("Forgot ")
    two.type("/quit")
    two.leave()
    assert house.memories() == []

    three = house.chat()
    three.type("Do I want tabs?")
    three.wait_for(NOT_UNDERSTOOD)
    three.type("/quit")
    assert "From memory" not in three.leave()


def test_ctrl_c_stops_the_answer_and_not_the_program(house: House) -> None:
    model = OfflineModel(latency={"main": Latency(20, 0), "select": Latency(0, 0)})
    with served(model) as live:
        chat = house.chat(**live)
        chat.type("Hello.")
        while not any(one.purpose == "main" for one in model.requests):
            select.select([], [], [], 0.02)
        chat.press(CTRL_C)
        chat.wait_for("Interrupted.")
        model.latency["main"] = Latency(0, 0)
        chat.type("Hello again.")
        chat.wait_for("these words: 'Hello again.'")
        chat.type("/quit")
        chat.leave()


def test_ctrl_c_at_the_prompt_leaves_at_the_second_time_in_a_row(house: House) -> None:
    chat = house.chat(TERM="xterm-256color")
    chat.wait_for(PROMPT)
    chat.interrupt("To leave, press Ctrl-C again")
    chat.type("Hello.")
    chat.wait_for(NOT_UNDERSTOOD)
    chat.wait_for(PROMPT)
    chat.interrupt("To leave, press Ctrl-C again")
    chat.wait_for(PROMPT)
    chat.interrupt("To continue later: --resume ")
    chat.leave()
    assert "\x1b" in chat.raw


def test_saving_waits_for_the_persons_yes(house: House) -> None:
    chat = house.chat("--ask")
    chat.type(COFFEE)
    chat.wait_for("[y/N]")
    assert house.memories() == []
    chat.press("no\r")
    chat.wait_for("does not want this saved")
    chat.type(TABS)  # this one is asked in the background
    chat.wait_for("[y/N]")
    chat.press("yes\r")
    chat.wait_for("Saved to memory: ")
    chat.type("/quit")
    chat.leave()
    assert len(house.memories()) == 1


def test_tab_completes_commands_files_and_changes(house: House) -> None:
    chat = house.chat()
    chat.type(COFFEE)
    chat.wait_for("Saved to memory: ")
    chat.type("/mem\ttake\t")
    chat.wait_for("type: user")
    chat.type("/forget --f\t take\t")
    chat.wait_for("Erase take-my-coffee-black.md")
    chat.wait_for("[y/N]")
    chat.press("no\r")
    chat.wait_for(PROMPT)
    chat.press("/dream\t")  # two commands begin so; a second Tab lists them
    chat.press("\t")
    chat.wait_for("/dream-off")
    chat.press(" stat\t\r")
    chat.wait_for("No dream in this session.")
    chat.type("/undo ch\t")
    chat.wait_for("Took back change-0001")
    (house.home / "tidebook" / "src").mkdir()
    (house.home / "tidebook" / "src" / "tides.py").write_text("")
    chat.type("/no such\tand sr\ttid\t")
    chat.wait_for("There is no command /no")
    chat.type("Explain sr\ttid\t, please, and no/mem\t")
    chat.wait_for("Explain src/tides.py, please, and no/mem")
    chat.wait_for(NOT_UNDERSTOOD)
    chat.type("/quit")
    chat.leave()


def test_lines_that_are_pasted_are_one_message_and_come_back_but_are_written_nowhere(
    house: House,
) -> None:
    with served(OfflineModel()) as live:
        chat = house.chat(**live)
        chat.type("/cost")
        chat.wait_for("purpose")
        chat.type(CTRL_P)
        chat.wait_for("purpose")
        for typed in (PASTE.format("/first\r\nsecond\rthird"), CTRL_P):
            chat.type(typed)
            chat.wait_for("these words: '/first second third'")
        chat.type("/quit")
        chat.leave()
    assert _STYLE.search(chat.raw)
    assert not house.history.exists()


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_a_notice_does_not_disturb_what_is_being_typed(house: House, term: str) -> None:
    model = _SavesWhenTold()
    with served(model) as live:
        chat = house.chat(TERM=term, **live)
        chat.type(TABS)
        chat.wait_for("these words: 'I prefer tabs")
        chat.wait_for(PROMPT)
        chat.press("Do I want ")
        chat.wait_for("Do I want")
        model.go.set()
        chat.wait_for("shows the file")
        chat.wait_for(PROMPT if term == "dumb" else "you> Do I want")
        chat.press("tabs?\r")
        chat.wait_for("recalled: prefer-tabs")
        chat.type("/quit")
        chat.leave()


def test_a_history_file_that_exists_is_used_while_memory_is_on(house: House) -> None:
    house.history.parent.mkdir()
    house.history.write_text("/help\n", "utf-8")
    chat = house.chat()
    chat.type(CTRL_P)
    chat.wait_for("Ctrl-D")
    chat.type("/memory off")
    chat.wait_for("memory is off")
    chat.type("Hello, sesame.")
    chat.wait_for("Memory is off: nothing is saved.")
    chat.type("/quit")
    chat.leave()
    assert house.history.read_text("utf-8").splitlines() == ["/help", "/memory off"]


def test_a_narrow_terminal_without_colours(house: House) -> None:
    chat = house.chat(columns=20, NO_COLOR="1")
    chat.type(f"{COFFEE} And tea at four, with lemon.")
    chat.wait_for("Saved to memory: ")
    chat.type("/memory ta\t")
    chat.wait_for("type: user")
    chat.wait_for(PROMPT)
    chat.press(CTRL_D)
    chat.leave()
    assert not _STYLE.search(chat.raw)


def test_lines_end_between_words_at_the_width_of_the_screen(house: House) -> None:
    chat = house.chat(columns=40)
    chat.type("What can you do?")
    chat.wait_for("me?”.")
    chat.type(TABS)
    chat.wait_for("shows the file")
    chat.type("/help")
    chat.wait_for("bring back what you typed.")
    chat.type("/quit")
    shown = chat.leave()
    answer = shown[shown.index("agent> ") :].partition("\nyou>")[0].splitlines()
    assert 1 < len(answer) < 9
    lines = [line for line in shown.splitlines() if "you>" not in line and "/" not in line]
    assert max(map(len, lines)) <= 40  # the name of a file is not broken
    assert not [line for line in answer if line.startswith(" ") or line.endswith(" ")]


def test_person_agent_notice_and_card_look_different(house: House) -> None:
    looks = {}
    for arguments in ((), ("--no-color",)):
        chat = house.chat(*arguments)
        chat.type(f"Remember that I take my tea with {'milk' if arguments else 'lemon'}.")
        chat.wait_for("shows the file")
        chat.type("Remember: src/app.py holds the routes")
        chat.wait_for("that can be saved")
        chat.type("/quit")
        chat.leave()
        starts = {
            text: _STYLE.findall(chat.raw[: chat.raw.index(text)])[-1:]
            for text in ("agent> ", "╭ Saved", "• Not saved")
        }
        looks[arguments] = starts, bool(_STYLE.search(chat.raw))
    (coloured, any_style), (_, no_style) = looks.values()
    assert len({str(style) for style in coloured.values()}) == 3
    assert (any_style, no_style) == (True, False)


def test_a_new_user_offline_gets_answers_and_is_told_once_what_to_try(house: House) -> None:
    chat = house.chat()
    for said, answer in (
        ("What can you do?", NOT_UNDERSTOOD),
        ("My name is Kim. I am a data scientist", "╭ Saved to memory: my-name-is-kim.md (new)"),
        ("what do you know about me?", "My name is Kim. (my-name-is-kim.md)"),
        ("My key is sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789", "• Not saved: it looks"),
        ("Explain binary search.", NOTHING),
        ("/cost", "purpose"),
    ):
        chat.type(said)
        chat.wait_for(answer)
    chat.type("/quit")
    shown = " ".join(chat.leave().split())
    assert shown.count(NOT_UNDERSTOOD) == 1
    assert "the model" not in shown
    assert " tokens" not in shown


def test_a_command_runs_only_after_a_yes(house: House) -> None:
    play = house.home / "play.yaml"
    play.write_text(
        "title: shell\n"
        "main:\n"
        "  - user: make it\n"
        "    steps:\n"
        "      - tools:\n"
        "          - {name: Bash, input: {command: touch made}}\n"
        "      - say: made it\n",
        encoding="utf-8",
    )
    with served(OfflineModel(scripts=[load_script(play)])) as live:
        chat = house.chat("--shell", **live)
        for answer, there in (("n", False), ("y", True)):
            chat.type("make it")
            chat.wait_for("Run this command? touch made")
            chat.wait_for("[y/N]")
            chat.press(f"{answer}\r")
            chat.wait_for("made it")
            assert (house.home / "tidebook" / "made").exists() == there
        chat.type("/quit")
        chat.leave()
