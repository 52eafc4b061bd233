"""``chat --print``: one turn for scripts, the answer on one stream and all else on the other."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from memlab import harness
from memlab.cli.chat import conversation
from memlab.models import OfflineModel
from memlab.models.connect import make_runtime

TABS = "I prefer tabs, not spaces, in all my code."
Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Ask:
    def run(message: str, *args: str, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        project = str(tmp_path / "tidebook")
        status = conversation.main(["--project", project, "--print", message, *args])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def saved(base: Path) -> list[str]:
    files = base.glob("projects/*/memory/*.md")
    return sorted(path.name for path in files if path.name != "MEMORY.md")


def session_of(said: str) -> str:
    found = re.search(r"^To continue later: --resume (\S+)$", said, re.M)
    assert found
    return found[1]


def test_it_ends_when_what_was_learned_is_in_memory(ask: Ask, base: Path) -> None:
    status, answer, rest = ask(TABS)
    assert status == 0
    assert "Once it is saved" in answer
    assert saved(base) == ["prefer-tabs-not-spaces-in-all-my-code.md"]
    assert "Saved to memory: prefer-tabs-not-spaces-in-all-my-code.md" in rest
    assert "Saved to memory" not in answer
    assert "(plain reply)" in rest


def test_a_message_from_standard_input_is_answered_from_memory(ask: Ask) -> None:
    ask("Remember that I take my coffee black.")
    status, answer, rest = ask("-", stdin="How do I like my coffee?\n")
    assert (status, "I take my coffee black." in answer) == (0, True)
    assert "recalled: take-my-coffee-black.md" in rest


def test_without_waiting_the_resumed_session_saves_it(ask: Ask, base: Path) -> None:
    status, _, rest = ask(TABS, "--no-wait")
    assert (status, saved(base), "Saving to memory failed" in rest) == (0, [], False)
    status, _, rest = ask("Thank you.", "--resume", session_of(rest))
    assert (status, saved(base)) == (0, ["prefer-tabs-not-spaces-in-all-my-code.md"])
    assert "Saved to memory: prefer-tabs-not-spaces-in-all-my-code.md" in rest


def test_no_dream_starts(ask: Ask, base: Path, crowded: Path) -> None:
    base.mkdir(exist_ok=True)
    flags = {"enabled": True, "min_hours": 0, "min_sessions": 0}
    (base / "flags.json").write_text(json.dumps(flags))
    status, _, rest = ask("Hello.")
    assert (status, "dream" in rest.lower()) == (0, False)
    assert {path.name for path in crowded.glob("*.md")} >= {"coffee.md", "tabs.md"}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("",), "--print: the message is empty. Write the message after it, or -"),
        (("-",), "--print: the message is empty."),
        (("/forget coffee",), "--print: /forget is a command of the chat, not a message."),
        (("Hello.", "--resume", "none"), "there is no session 'none'. There is none yet"),
    ],
)
def test_what_cannot_begin_says_so_and_ends_with_2(
    ask: Ask, base: Path, args: tuple[str, ...], said: str
) -> None:
    status, answer, rest = ask(*args)
    assert (status, answer) == (2, "")
    assert rest.startswith(f"memlab chat: {said}")
    assert list(base.glob("projects/*/*.jsonl")) == []


@pytest.mark.parametrize("args", [("--ask",), ("--shell",)])
def test_options_that_ask_a_person_are_refused(ask: Ask, args: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        ask("Hello.", *args)
    assert ended.value.code == 2


@pytest.mark.parametrize("purpose", ["main", "extract"])
def test_a_failure_ends_with_1(
    ask: Ask, base: Path, purpose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = OfflineModel(chat=True)
    model.faults.add("bad_request", purpose=purpose, times=9)
    monkeypatch.setattr(harness, "make_runtime", partial(make_runtime, model=model))
    status, answer, rest = ask(TABS)
    assert status == 1
    assert ("Once it is saved" in answer) == (purpose == "extract")
    assert ("Saving to memory failed: " in rest) == (purpose == "extract")
    assert len(rest.splitlines()) > 1
    assert saved(base) == []


def test_it_goes_by_the_settings_as_the_chat_does(
    ask: Ask, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.mkdir(parents=True, exist_ok=True)
    (base / "settings.json").write_text('{"main_model": "qwen3:8b"}', encoding="utf-8")
    ask("Hello.")
    [document] = (base / "conversations").glob("*.json")
    assert json.loads(document.read_text("utf-8"))["model"] == "qwen3:8b"

    monkeypatch.setenv("MEMLAB_COVERED_SHARE", "0.5")
    status, answer, rest = ask("Hello.")
    assert (status, answer) == (2, "")
    assert rest.strip().endswith("covered_share is always 0.7. Leave it out")
