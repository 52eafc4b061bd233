"""The further ways to remember in the chat: shown, switched, and personal memory by command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memlab.chat.screen import YES
from memlab.cli.chat import conversation, why
from memlab.memdir.places import memory_paths
from memlab.memdir.store import MemoryStore
from memlab.modes.mode import NAMES
from tests.unit.cli.chat.conftest import Chat

TABS = "---\nname: Tabs\ndescription: tabs, not spaces\ntype: user\n---\n\nTabs, not spaces.\n"
SPACES = TABS.replace("tabs, not spaces", "two spaces").replace("Tabs, not spaces", "Two spaces")


@pytest.fixture
def tabs(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory of the project, with personal memory on."""
    monkeypatch.setenv("MEMLAB_PERSONAL", "on")
    directory = memory_paths(tmp_path / "tidebook").memory_dir
    MemoryStore(directory).write_text("tabs.md", TABS)
    return directory


@pytest.mark.behaviour("L4")
def test_the_modes_are_listed_with_what_set_them(
    chat: Chat, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.mkdir()
    (base / "settings.json").write_text(json.dumps({"daily_log": True, "team": False}))
    (base / "flags.json").write_text(json.dumps({"team": True, "session_memory": True}))
    monkeypatch.setenv("MEMLAB_PERSONAL", "on")
    said = chat("/modes", "/memory off", "/modes")
    flags = r"flags\.json"
    assert re.search(rf"^session memory   on     {flags}$", said, re.M)
    assert re.search(r"^team memory      off    user settings$", said, re.M)
    assert re.search(r"^personal memory  on     MEMLAB_PERSONAL$", said, re.M)
    assert re.search(r"^personal memory  on, but memory is off  MEMLAB_PERSONAL$", said, re.M)
    banner = (
        "Modes: session memory (flags.json), personal memory (MEMLAB_PERSONAL),"
        " daily log (user settings). /modes switches them."
    )
    assert banner in said
    status = "0 memories · memory on · session memory, personal memory, daily log · offline"
    assert status in said


@pytest.mark.behaviour("L4")
@pytest.mark.parametrize("typed", ["personal on", "Personal memory on", "personal-memory ON"])
def test_a_mode_is_switched_for_this_chat_and_the_cost_is_said_when_the_prompt_changes(
    chat: Chat, typed: str
) -> None:
    said = chat(f"/modes {typed}", "/modes personal on", "/modes", "/modes personal off")
    assert "Personal memory is on, until you leave this chat. The system prompt has" in said
    assert "pays once for the whole conversation" in said
    assert "Personal memory is on already." in said
    assert re.search(r"^personal memory  on     this session$", said, re.M)
    assert "Personal memory is off, until you leave this chat." in said
    assert re.search(r"^personal memory  off    default$", chat("/modes"), re.M)


@pytest.mark.parametrize("typed", ["fun on", "team", "team maybe", "on"])
def test_what_is_no_mode_is_answered_with_the_modes_there_are(chat: Chat, typed: str) -> None:
    said = chat(f"/modes {typed}")
    assert "The modes are: session-memory, team, personal, daily-log" in said


def test_switched_on_while_memory_is_off_it_says_that_it_has_no_effect(chat: Chat) -> None:
    assert "no effect while memory is off: /memory on" in chat("/memory off", "/modes team on")


def test_every_mode_is_named_in_both_helps(chat: Chat, capsys: pytest.CaptureFixture[str]) -> None:
    assert "/modes [MODE on | MODE off]" in chat("/help")
    with pytest.raises(SystemExit):
        conversation.main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert all(name in said for name in NAMES.values())
    assert "/modes lists and switches them" in said


@pytest.mark.behaviour("L2b")
def test_a_memory_is_promoted_after_a_yes_to_what_it_says(
    chat: Chat, base: Path, tabs: Path
) -> None:
    no = chat("/memory promote tabs", "no")
    assert "Tabs, not spaces." in no
    assert "Move tabs.md to" in no
    assert "A rule that was learned in one project may be wrong in another." in no
    assert "Nothing was moved." in no
    assert (tabs / "tabs.md").exists()

    said = chat("/memory promote tabs", YES, "/memory", "/memory personal/tabs.md")
    assert "Promoted tabs.md: it holds in every project now, as personal/tabs.md." in said
    assert (base / "personal" / "tabs.md").read_text() == TABS
    assert "0 memories in" in said
    assert re.search(r"^1 personal memory in .*/personal$", said, re.M)
    assert re.search(r"^personal/tabs\.md  user  today  tabs, not spaces$", said, re.M)

    back = chat("/memory demote not spaces", YES)
    assert "personal/tabs.md belongs to this project only now, as tabs.md." in back
    assert (tabs / "tabs.md").read_text() == TABS


@pytest.mark.behaviour("L2b")
def test_what_cannot_be_promoted_is_said_before_the_question(chat: Chat, tabs: Path) -> None:
    text = TABS.replace("user", "reference").replace("Tabs", "Board")
    MemoryStore(tabs).write_text("board.md", text)
    said = chat("/memory promote board", "/memory promote none.md")
    said += chat("/modes personal off", "/memory promote tabs")
    assert "its type is reference, and a personal memory has the type user" in said
    assert "no such memory" in said
    assert "personal memory is switched off. Switch it on with /modes personal on" in said
    assert "Move " not in said


@pytest.mark.behaviour("L2b", "A11")
def test_a_personal_memory_is_named_in_every_command(
    chat: Chat, base: Path, tabs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat("/memory promote tabs", YES)
    said = chat("/why personal/tabs.md", "/forget not spaces", YES, "/undo personal/tabs.md")
    assert "moved here from " in said
    assert "Forgot personal/tabs.md. To bring it back: /undo personal/c" in said
    assert re.search(r"Took back personal/\S+ \(remove by user\): personal/tabs\.md", said)
    assert (base / "personal" / "tabs.md").read_text() == TABS
    project = ["--project", str(tmp_path / "tidebook")]
    assert why.main(["personal/tabs.md", *project]) == 0
    assert "moved here from " in capsys.readouterr().out
    gone = chat("/forget --for-good personal/tabs.md", YES)
    assert "Erased personal/tabs.md, its name and every copy in the history." in gone
    assert not (base / "personal" / "tabs.md").exists()


@pytest.mark.behaviour("L2b")
def test_the_list_says_which_personal_memory_the_project_has_replaced(
    chat: Chat, tabs: Path
) -> None:
    chat("/memory promote tabs", YES)
    MemoryStore(tabs).write_text("indentation.md", SPACES)
    said = chat("/memory", "Do I want tabs?", "/recall")
    row = r"^personal/tabs\.md  user  today  left out here: the project has indentation\.md$"
    assert re.search(row, said, re.M)
    row = r"^personal/tabs\.md +left out +the project's memory wins: indentation\.md$"
    assert re.search(row, said, re.M)


@pytest.mark.behaviour("L4")
@pytest.mark.parametrize(
    ("mode", "rebuilt"),
    # without a clone, the prompt is that of the private memory
    [("session-memory", False), ("team", False), ("personal", True), ("daily-log", True)],
)
def test_each_mode_takes_effect_when_it_is_switched_in_the_middle(
    chat: Chat, mode: str, rebuilt: bool
) -> None:
    said = chat(f"/modes {mode} on", f"/modes {mode} off")
    assert " is on, until you leave this chat." in said
    assert said.count("The system prompt has changed") == 2 * rebuilt
    assert ("git clone" in said) == (mode == "team")
