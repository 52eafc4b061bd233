"""What an older version left behind is opened by this one, and nothing of it is lost."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memlab.cli import why
from memlab.cli.slash import Talk
from memlab.clock import CourseClock
from memlab.errors import MemlabError
from memlab.harness import Harness, HarnessOptions
from memlab.ledger import Ledger
from memlab.memdir.doctor import diagnose
from memlab.memdir.journal import VERSION
from memlab.memdir.places import PLACE_SETTINGS, Where, forget_paths, memory_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles, load_settings
from memlab.models import OfflineModel
from memlab.models.connect import choose_model, make_runtime
from memlab.recall.first_stage import Proposed, open_first_stage
from memlab.settings import Settings
from memlab.text import request_text
from tests.faults.disks import tree

FOLDER = Path(__file__).parent
HOME = "{HOME}"
THE_LAST_DAY = datetime(2026, 4, 7, 15, 0, tzinfo=UTC)
DOOR = "---\nname: Door\ndescription: it opens\ntype: user\n---\n\nIt opens outwards.\n"
MOORING = "projects/-home-robin-mooring/memory"
PIER = "The fuel pier closes at six."
BOWLINE = "A bowline never slips under load."
HATCH = "The night watch may open every hatch."
COFFEE = "*take-my-coffee-black.md"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Give a home as 0.2 left it, with the times and modes that everything had."""
    return restored("version_0_2.json", tmp_path)


def restored(name: str, tmp_path: Path) -> Path:
    recorded = json.loads((FOLDER / name).read_text("utf-8"))
    umask = os.umask(0)
    try:
        for name, about in recorded.items():
            path = tmp_path / name
            if "mtime" in about:
                text = about.get("text")
                if text is None:
                    data = base64.b64decode(about["base64"])
                else:
                    data = text.replace(HOME, json.dumps(str(tmp_path))[1:-1]).encode()
                path.write_bytes(data)
                path.chmod(int(about["mode"], 8))
                os.utime(path, ns=(about["mtime"], about["mtime"]))
            else:
                path.mkdir(int(about["mode"], 8))
    finally:
        os.umask(umask)
    forget_paths()
    return tmp_path


@pytest.fixture
def memory(home: Path) -> Path:
    return folder_of(home, "tidebook") / "memory"


def folder_of(home: Path, project: str) -> Path:
    return home / ".memlab" / "projects" / f"-home-robin-{project}"


def stamps_in(home: Path) -> dict[str, list[list[Any]]]:
    """Give each sentence of each memory with its stamp, and the changes behind it."""
    found: dict[str, list[list[Any]]] = {}
    base = home / ".memlab"
    for folder in [base / "personal", *sorted(base.glob("projects/*/memory"))]:
        store = MemoryStore(folder)
        for path in sorted(folder.rglob("*.md")):
            file = path.relative_to(folder).as_posix()
            if path.name != "MEMORY.md":
                found[(folder.relative_to(base) / file).as_posix()] = [
                    [
                        line.text,
                        line.stamp.origin.label,
                        line.stamp.inferred,
                        line.stamp.message,
                        [entry.id for entry in line.changes],
                        line.stamp.moved.get("place", ""),
                    ]
                    for line in store.why(file)
                ]
    return found


def harness(home: Path, project: str = "tidebook", **more: Any) -> Harness:
    clock = CourseClock(THE_LAST_DAY)
    model = more.pop("model", None) or OfflineModel(clock=clock)
    (home / project).mkdir(exist_ok=True)
    return Harness(
        home / project,
        HarnessOptions(
            runtime=more.pop("runtime", None) or make_runtime("offline", model=model),
            base=home / ".memlab",
            where=Where(home, "/home/robin"),
            environ={},
            **more,
        ),
    )


def test_memories_and_their_times_are_as_they_were(memory: Path) -> None:
    before = {name: file for name, file in tree(memory).items() if name.endswith(".md")}
    MemoryStore(memory)
    assert tree(memory) == before, "and the temporary files of an interrupted write are gone"


def test_its_history_goes_on(memory: Path) -> None:
    store = MemoryStore(memory)
    known = [entry.id for entry in store.history()]
    written = store.write_text(
        "boats.md", "---\nname: B\ndescription: d\ntype: user\n---\nx boat\n"
    )
    assert written.change == f"change-{len(known) + 1:04d}"
    assert [entry.id for entry in store.history()] == [*known, written.change]
    lines = (memory / ".memlab" / "journal.jsonl").read_text("utf-8").splitlines()
    assert {"version": VERSION} in map(json.loads, lines)


def test_its_changes_can_be_undone(memory: Path) -> None:
    store = MemoryStore(memory)
    store.undo()
    assert store.read("ops/ports.md").body == "\nPort 5432.\n"
    assert (memory / "MEMORY.md").read_text("utf-8").endswith("\nA line of my own.\n")
    store.undo("change-0001")
    assert not list(memory.glob(COFFEE))


def test_what_it_forgot_for_good_stays_forgotten(memory: Path) -> None:
    store = MemoryStore(memory)
    assert not [sha for sha in store.journal.unexplained() if b"oars" in store.content(sha)]
    assert not [
        path for path in memory.rglob("*") if path.is_file() and b"oars" in path.read_bytes()
    ]


def test_what_it_was_writing_when_it_was_killed_is_not_half_there(memory: Path) -> None:
    MemoryStore(memory)
    assert not list(memory.rglob("*.tmp"))
    assert not (memory / "kayaks.md").exists()
    assert "kayaks" not in (memory / "MEMORY.md").read_text("utf-8")


def test_the_doctor_looks_at_it(memory: Path) -> None:
    rules = {one.rule for one in diagnose(memory).findings}
    assert not {"journal", "lost-history"} & rules, "the next write settles what was interrupted"


def test_its_sessions_go_on(home: Path, memory: Path) -> None:
    resumed = harness(home, resume="one")
    assert len([one for one in resumed.agent.messages if one["role"] == "user"]) >= 2
    assert resumed.toggles.source("auto_dream") == "user settings"
    (coffee,) = memory.glob(COFFEE)
    assert resumed.store.read(coffee.name)


ALL_ON = Toggles(team=True, personal=True, session_memory=True)


def test_its_team_memories_are_read(home: Path) -> None:
    shared = harness(home, "ferry", toggles=ALL_ON).team
    assert "where the ferry sails from" in shared.index().text


def test_its_personal_memories_count_in_every_project(home: Path) -> None:
    other = harness(home, "harbour", toggles=ALL_ON)
    assert [one.filename for one in other.personal.memories().scan] == ["personal/tabs.md"]
    assert len(other.personal.store.history()) == 1


def test_its_notes_go_on(home: Path) -> None:
    resumed = harness(home, "ferry", toggles=ALL_ON, resume="ferry-one")
    notes = asyncio.run(resumed.session_memory.notes())
    assert "The buoy at the mole was repaired by Tuva" in notes.text


def test_its_logs_grow_and_keep_their_lines(home: Path) -> None:
    logging = harness(home, "harbour", toggles=Toggles(daily_log=True), resume="harbour-one")
    (log,) = (folder_of(home, "harbour") / "memory").glob("logs/*/*/*.md")
    before = log.read_text("utf-8")
    assert "The crane is out of order." in before
    asyncio.run(logging.say("Remember that the crane works again."))
    after = log.read_text("utf-8")
    assert after.startswith(before)
    assert "works again" in after.removeprefix(before)


def test_its_index_of_the_memories_is_used_or_built_again(home: Path) -> None:
    memory = folder_of(home, "ferry") / "memory"
    notices: list[str] = []
    settings = Settings().with_changes(first_stage="sqlite", scan_max_files=1)
    stage = open_first_stage(memory, settings, notices.append)
    assert stage is not None
    found = stage.propose("When is high tide?")
    assert isinstance(found, Proposed)
    assert "tide.md" in [header.filename for header in found.scan]
    assert notices == []


def test_its_dream_can_still_be_accepted(home: Path) -> None:
    memory = folder_of(home, "ferry") / "memory"
    review = harness(home, "ferry", toggles=ALL_ON).dreams.waiting
    waiting = review.look()
    assert [(one.file, one.why) for one in waiting] == [("rope.md", "the shed was emptied")]
    review.accept(["rope.md"])
    assert not (memory / "rope.md").exists()
    store = MemoryStore(memory)
    store.undo(who="user")
    assert store.read("rope.md").body == "\nThe long rope is in the shed.\n"


STAMPS = json.loads((FOLDER / "version_0_2_stamps.json").read_text("utf-8"))


def test_every_sentence_keeps_its_stamp(home: Path) -> None:
    assert stamps_in(home) == STAMPS
    origins = {line[1] for lines in STAMPS.values() for line in lines}
    assert origins == {"outside", "tool result", "unknown", "project file", "assistant", "person"}


def test_every_sentence_keeps_its_stamp_when_something_is_written(home: Path) -> None:
    base = home / ".memlab"
    for folder in [base / "personal", *sorted(base.glob("projects/*/memory"))]:
        MemoryStore(folder).write_text("new.md", DOOR)
        assert MemoryStore(folder).read("new.md")
    found = stamps_in(home)
    news = {path for path in found if path.endswith("/new.md")}
    assert {path: lines for path, lines in found.items() if path not in news} == STAMPS


def test_a_stamp_is_what_why_says(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMLAB_HOME", str(home / ".memlab"))
    project = home / "mooring"
    folder_of(home, "mooring").rename(memory_paths(project).project_dir)
    for file in ("harbour-facts.md", "winter-berth.md", "tow.md"):
        assert why.main([file, "--project", str(project)]) == 0
        said = capsys.readouterr().out
        for text, origin, inferred, message, changes, _ in STAMPS[f"{MOORING}/{file}"]:
            (about,) = set(re.findall(rf"(?m)^{re.escape(text)}\n((?:    .*(?:\n|\Z))+)", said))
            assert f"origin: {origin}" in about
            assert ("inferred" in about) == inferred
            assert all(f"({change})" in about for change in changes)
            assert message in about


INTERRUPTED = ("erased", "swapped", "torn", "undone", "unerased", "unnoted", "unsaved")
# what some memories have in their history, oldest first
HISTORY = {
    "anchor": "write",
    "attic": "write write write write write write replace",
    "erased": "write write forget",
    "ferry": "write write write replace write",
    "harbour": "log log",
    "mooring": "write write write write write confirm edit write remove write write",
    "shed": "write index",
    "sloop": "write write remove",
    "swapped": "write write write",
    "tidebook": "write write write write write undo forget remove",
    "torn": "write write",
    "undone": "write write undo",
    "unerased": "write write forget",
    "unnoted": "write write write",
    "unsaved": "write write write",
}


@pytest.mark.parametrize("project", sorted(HISTORY))
def test_every_kind_of_change_is_in_the_history(home: Path, project: str) -> None:
    store = MemoryStore(folder_of(home, project) / "memory")
    before = [(entry.id, entry.what, entry.who, entry.at) for entry in store.history()]
    assert [what for _, what, _, _ in before] == HISTORY[project].split()
    written = store.write_text("new.md", DOOR)
    store = MemoryStore(folder_of(home, project) / "memory")
    assert [(one.id, one.what, one.who, one.at) for one in store.history()][:-1] == before
    assert written.change not in [id for id, *_ in before]
    store.undo()
    assert not (store.directory / "new.md").exists()


def test_its_changes_of_each_kind_can_be_undone(home: Path) -> None:
    store = MemoryStore(folder_of(home, "mooring") / "memory")
    store.undo("change-0009")
    assert store.read("oars.md").body == "\nThe oars are of ash.\n"
    store.undo("change-0006")
    assert {line.stamp.origin.label for line in store.why("lamp.md")} == {"unknown"}
    attic = MemoryStore(folder_of(home, "attic") / "memory")
    attic.undo("change-0007")
    assert attic.read("rope.md").body == "\nThe long rope hangs in the attic.\n"
    assert not (attic.directory / "attic.md").exists()
    index = (attic.directory / "MEMORY.md").read_text("utf-8")
    assert "(rope.md)" in index
    assert "(attic.md)" not in index


def test_what_a_person_edited_during_a_change_is_left_alone(home: Path) -> None:
    store = MemoryStore(folder_of(home, "mooring") / "memory")
    assert store.read("flag.md").body == "\nThe flag is blue and torn.\n"
    store.undo("change-0011")
    assert store.read("flag.md").body == "\nThe flag is blue and torn.\n"


def test_a_persons_own_lines_of_the_index_stay(home: Path) -> None:
    store = MemoryStore(folder_of(home, "mooring") / "memory")
    store.write_text("new.md", DOOR)
    index = (store.directory / "MEMORY.md").read_text("utf-8")
    assert index.startswith("# Mine\n\n- [Door](new.md)")
    assert "- [Harbour facts](harbour-facts.md)" in index


def test_a_line_of_its_log_cannot_be_taken_back(home: Path) -> None:
    store = MemoryStore(folder_of(home, "harbour") / "memory")
    with pytest.raises(MemlabError):
        store.undo("change-0002")
    with pytest.raises(MemlabError):
        store.undo()


def text_of(folder: Path, name: str) -> str:
    return (folder / name).read_text("utf-8")


@pytest.mark.parametrize("project", INTERRUPTED)
def test_what_was_interrupted_has_happened_or_never_did(home: Path, project: str) -> None:
    folder = folder_of(home, project) / "memory"
    store = MemoryStore(folder)
    index = text_of(folder, "MEMORY.md")
    files = sorted(path.name for path in folder.glob("*.md"))
    assert not list(folder.rglob("*.tmp"))
    if project == "torn":
        assert store.read("cat.md").body == "\nThe cat sleeps aft.\n"
    elif project == "swapped":
        assert files == ["MEMORY.md", "cat.md", "dog.md", "parrot.md"]
        assert "(parrot.md)" in index
        store.undo()
        assert not (folder / "parrot.md").exists()
        assert "(parrot.md)" not in text_of(folder, "MEMORY.md")
    elif project == "unsaved":
        assert "The cat sleeps below deck now." in store.read("cat.md").body
        assert "Strangers" not in store.read("cat.md").body
        assert "Strangers may steer the boat." in typed(harness(home, project), "/review")
    elif project in ("erased", "unerased"):
        assert files == ["MEMORY.md", "dog.md"]
        assert "(dog.md)" in index
        assert not (words_in(folder, b"sleeps aft") | words_in(folder, b"cat.md"))
    elif project == "undone":
        assert files == ["MEMORY.md", "cat.md"]
        assert "(dog.md)" not in index
    elif project == "unnoted":
        assert "The cat may steer the boat." in store.read("cat.md").body
        store.undo()
        assert store.read("cat.md").body == "\nThe cat sleeps aft.\n"


def words_in(folder: Path, words: bytes) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and words in path.read_bytes()}


@pytest.mark.parametrize("put_back", [False, True])
def test_a_history_that_no_journal_mentions_is_not_lost(home: Path, put_back: bool) -> None:
    folder = folder_of(home, "anchor") / "memory"
    if put_back:
        journal = (home / "backup" / "journal.jsonl").read_bytes()
        (folder / ".memlab" / "journal.jsonl").write_bytes(journal)
        store = MemoryStore(folder)
        store.undo()
        assert store.read("anchor.md").body == "\nThe anchor weighs ten kilos.\n"
        store.undo("change-0002")
        assert store.read("anchor.md").body == "\nThe anchor weighs nine kilos.\n"
        return
    store = MemoryStore(folder)
    written = store.write_text("anchor.md", DOOR)
    assert written.change == "change-0004", "an id that the lost journal has used is not used again"
    assert words_in(folder, b"ten kilos"), "what no journal mentions is kept"
    store.undo()
    assert store.read("anchor.md").body == "\nThe anchor weighs twelve kilos.\n"


class Lines(Talk):
    """A chat that keeps what is shown, and says yes to every question."""

    def __init__(self, agent: Harness) -> None:
        super().__init__(choose_model("offline"), Ledger())
        self.harness = agent
        self.lines: list[str] = []

    def show(self, text: str, *, aside: bool = False) -> None:
        self.lines.append(text)

    async def ask(self, question: str) -> bool:
        return True


def typed(agent: Harness, *lines: str) -> str:
    """What a chat shows when these lines are typed."""
    talk = Lines(agent)

    async def take() -> None:
        for line in lines:
            await talk.take(line)

    asyncio.run(take())
    return "\n".join(talk.lines)


def test_its_held_sentences_can_be_decided_on(home: Path) -> None:
    agent = harness(home, "mooring")
    said = typed(agent, "/review")
    numbers = {
        text: number for number, text in re.findall(r"(?m)^(\d+)  \S+?(?: \(.*?\))?: (.*) — ", said)
    }
    assert {*numbers} == {PIER, BOWLINE, HATCH}
    assert "ships-bell.md" in said
    assert "notes/harbour.md" in said, "it says which source the sentence was taken from"
    typed(agent, f"/review accept {numbers[PIER]} {numbers[BOWLINE]}", "/review reject")
    bell = agent.store.read("ships-bell.md")
    assert PIER in bell.body
    assert HATCH not in bell.body
    assert BOWLINE in agent.store.read("bowline.md").body
    for file, text, origin in (
        ("ships-bell.md", PIER, "project file"),
        ("bowline.md", BOWLINE, "outside"),
    ):
        stamps = {line.text: line.stamp.origin.label for line in agent.store.why(file)}
        assert stamps[text] == origin, "a sentence that is accepted keeps its origin"
    again = typed(harness(home, "mooring"), "/review")
    assert not any(text in again for text in numbers)


def test_its_held_sentences_wait_through_other_changes(home: Path) -> None:
    store = MemoryStore(folder_of(home, "mooring") / "memory")
    store.write_text("new.md", DOOR)
    store.undo()
    said = typed(harness(home, "mooring"), "/review")
    assert all(text in said for text in (PIER, BOWLINE, HATCH))


def test_what_waits_goes_with_a_memory_that_is_forgotten_for_good(home: Path) -> None:
    agent = harness(home, "mooring")
    typed(agent, "/forget --for-good ships-bell.md")
    said = typed(agent, "/review")
    assert PIER not in said
    assert HATCH not in said
    assert BOWLINE in said
    assert not words_in(agent.memory, b"polished")


GIVEN_AWAY = ("kettle.md", "lantern.md", "whistle.md")


def test_its_dream_that_waits_is_shown_and_accepted(home: Path) -> None:
    agent = harness(home, "attic")
    shown = typed(agent, "/dream receipt")
    assert all(file in shown for file in GIVEN_AWAY)
    assert "it was given away in spring" in shown
    typed(agent, "/dream accept")
    assert not [file for file in GIVEN_AWAY if (agent.memory / file).exists()]
    assert (agent.memory / "blanket.md").exists()
    agent.store.undo()
    assert all((agent.memory / file).exists() for file in GIVEN_AWAY)
    assert "Nothing waits" in typed(harness(home, "attic"), "/dream accept")


def test_its_dream_that_waits_is_accepted_in_part_or_dropped(home: Path) -> None:
    typed(harness(home, "attic"), "/dream accept kettle.md")
    memory = folder_of(home, "attic") / "memory"
    assert [file for file in GIVEN_AWAY if not (memory / file).exists()] == ["kettle.md"]
    typed(harness(home, "ferry"), "/dream reject")
    ferry = harness(home, "ferry")
    assert (ferry.memory / "rope.md").exists()
    assert "rope.md" not in typed(ferry, "/dream receipt")


@pytest.mark.parametrize(("project", "file"), [("cellar", "jar.md"), ("shed", "saw.md")])
def test_a_lock_that_a_killed_dream_has_left_can_be_taken(
    home: Path, project: str, file: str
) -> None:
    agent = harness(home, project)
    assert asyncio.run(agent.dream_now()).phase == "done"
    assert agent.store.read(file)


def test_its_lock_says_when_the_last_dream_was(home: Path) -> None:
    lock = folder_of(home, "attic") / "memory" / ".consolidate-lock"
    before = lock.stat().st_mtime_ns
    agent = harness(home, "attic", toggles=Toggles(auto_dream=True))
    asyncio.run(answered(agent, "Good morning."))
    assert lock.stat().st_mtime_ns == before
    with pytest.raises(MemlabError):  # the one that waits comes first
        asyncio.run(agent.dream_now())


async def answered(agent: Harness, *words: str) -> None:
    for text in words:
        await agent.say(text)
        await agent.drain()


# what was said off the record, and in which way
OFF_RECORD = {
    "sloop-read-only": "sesame bread",
    "sloop-forgotten": "lighthouse terrace",
    "sloop-declined": "cider",
    "sloop-hidden": "Tuva's mother",
    "sloop-hidden-later": "varnish",
}


@pytest.mark.parametrize("session", OFF_RECORD)
def test_its_off_record_words_stay_out(home: Path, session: str) -> None:
    model = OfflineModel(clock=CourseClock(THE_LAST_DAY))
    agent = harness(home, "sloop", resume=session, mode="full", model=model)
    asyncio.run(answered(agent, "I prefer the small sail, always, when it blows."))
    asyncio.run(agent.dream_now())
    words = OFF_RECORD[session]
    main = [request_text(one.body) for one in model.requests if one.purpose == "main"]
    forks = [request_text(one.body) for one in model.requests if one.purpose != "main"]
    assert words in main[-1], "the conversation itself goes on"
    assert forks
    if session != "sloop-hidden-later":  # it was said on the record
        assert not [text for text in forks if words in text]
        assert not [path for path in agent.memory.glob("*.md") if words in text_of(path, "")]
    assert [path.name for path in agent.memory.glob("*sail*.md")]
    others = [other for one, other in OFF_RECORD.items() if one != session]
    for path in folder_of(home, "sloop").glob("*.jsonl"):
        text = path.read_text("utf-8")
        assert not [other for other in others if other in text]
        assert session == "sloop-hidden-later" or words not in text


def test_its_hidden_sessions_stay_hidden(home: Path) -> None:
    agent = harness(home, "sloop", resume="sloop-hidden")
    assert agent.mode == "off"
    assert len([one for one in agent.agent.messages if one["role"] == "user"]) == 2
    asyncio.run(answered(agent, "Is it dry?"))
    names = {path.stem for path in folder_of(home, "sloop").glob("*.jsonl")}
    assert names == {"sloop-read-only", "sloop-forgotten", "sloop-declined"}


def test_the_mode_of_a_session_is_what_it_was(home: Path) -> None:
    assert harness(home, "sloop", resume="sloop-read-only").mode == "recall_only"
    assert harness(home, "sloop", resume="sloop-declined").mode == "full"
    assert harness(home, "sloop", resume="sloop-hidden-later").mode == "off"


def test_what_it_forgot_comes_back_when_that_is_undone(home: Path) -> None:
    agent = harness(home, "sloop")
    typed(agent, "/undo change-0003")
    (file,) = agent.memory.glob("*party*.md")
    assert "lighthouse terrace" in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("session", "tag"), [("regatta-summary", "summary"), ("regatta-notes", "session_notes")]
)
def test_its_compacted_sessions_go_on(home: Path, session: str, tag: str) -> None:
    document = json.loads(text_of(home / ".memlab" / "conversations", f"{session}.json"))
    agent = harness(home, "regatta", resume=session)
    assert list(agent.agent.messages) == document["messages"]
    said = json.dumps(document["messages"])
    assert f"<{tag}>" in json.dumps(document["messages"][0])
    assert said.count("And who brings the brushes?") == 1, "what was taken back is not said twice"
    asyncio.run(answered(agent, "Thanks."))
    again = harness(home, "regatta", resume=session)
    assert list(again.agent.messages)[: len(document["messages"])] == document["messages"]
    assert len(again.agent.messages) == len(document["messages"]) + 2


def test_a_session_without_its_document_is_read_from_its_transcript(home: Path) -> None:
    path = home / ".memlab" / "conversations" / "regatta-notes.json"
    document = json.loads(path.read_text("utf-8"))
    path.unlink()
    agent = harness(home, "regatta", resume="regatta-notes")
    assert list(agent.agent.messages) == document["messages"]


def test_its_flags_count_and_settings_come_before_them(home: Path) -> None:
    toggles = harness(home, "mooring").toggles
    assert (toggles.auto_dream, toggles.source("auto_dream")) == (False, "user settings")
    assert toggles.min_hours == 12
    assert toggles.source("min_hours").startswith("flags.json")
    assert toggles.min_sessions is None
    assert any("min_sessions" in problem for problem in toggles.problems)


SETTINGS = {"select_max_memories": 3, "main_max_turns": 20}
SWITCHES = {"session_memory": True, "recall": False}
# in the settings of the bridge, too, and read by nobody any more
DROPPED = ("first_stage_server", "read_only_git")


def on_the_bridge(home: Path, model: OfflineModel | None = None) -> Harness:
    """Begin a session by the person's own settings."""
    settings = load_settings(folder_of(home, "bridge"), base=home / ".memlab", environ={})
    model = model or OfflineModel(clock=CourseClock(THE_LAST_DAY), settings=settings)
    return harness(home, "bridge", runtime=make_runtime("offline", model=model, settings=settings))


def test_its_settings_hold_beside_keys_that_are_gone(home: Path) -> None:
    agent = on_the_bridge(home)
    settings = agent.runtime.settings
    assert {name: getattr(settings, name) for name in SETTINGS} == SETTINGS
    assert {name: getattr(agent.toggles, name) for name in SWITCHES} == SWITCHES


def test_settings_that_are_gone_are_named(home: Path) -> None:
    agent = on_the_bridge(home)
    told = "\n".join((*agent.notices, *agent.toggles.problems))
    named = json.loads((folder_of(home, "bridge") / "settings.json").read_text("utf-8"))
    known = {*vars(agent.runtime.settings), *vars(agent.toggles), *PLACE_SETTINGS, "prompts"}
    assert {*DROPPED} <= named.keys() - known
    assert not [key for key in named.keys() - known if key not in told]


def test_its_own_prompts_are_used_or_what_is_wrong_with_them_is_named(home: Path) -> None:
    model = OfflineModel(clock=CourseClock(THE_LAST_DAY))
    agent = on_the_bridge(home, model)
    asyncio.run(answered(agent, "I prefer short watches, always, at night."))
    for purpose in ("main", "extract"):
        (sent, *_) = [request_text(one.body) for one in model.requests if one.purpose == purpose]
        assert "Address the person as captain." in sent
        left = re.findall(r"\{\{\w+\}\}", sent)
        assert not [one for one in left if one not in "\n".join(agent.notices)]


def test_a_pinned_memory_stays_as_it_is(home: Path) -> None:
    memory = folder_of(home, "mooring") / "memory"
    pinned = (memory / "channel.md").read_bytes()
    assert b"\npinned: true\n" in pinned
    agent = harness(home, "mooring")
    asyncio.run(answered(agent, "I prefer the lock on channel 20, always."))
    asyncio.run(agent.dream_now())
    assert (memory / "channel.md").read_bytes() == pinned
    assert b"\nstale_after: 2026-06-01\n" in (memory / "tow.md").read_bytes()
