"""Record what this version of memlab leaves on a disk, as the stored example of the version.

Run it once, with the code that is about to be released, and commit the result:

    python3 -m tests.upgrades.leave_behind tests/upgrades/version_0_2.json

If the file exists, its home is restored, and only the second week is added: no entry that is there
changes. To make all of it anew, remove the file first. A second file, ``…_stamps.json``, has what
``why`` said of each sentence once the home was opened again.

The result is one JSON object, so that no checkout changes a byte or a time of it. It maps each path
to its text (or to its bytes, as base64), its mtime in nanoseconds and its mode. Where a text names
the home's real path, it has {HOME} in its place.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

from memlab.cli import reset
from memlab.clock import CourseClock
from memlab.course.own_parts import parts_folder
from memlab.dream.lock import ConsolidationLock
from memlab.evidence.origin import Origin, Source, Stamp
from memlab.evidence.pending import PendingChange
from memlab.evidence.sentences import Sentence
from memlab.harness import Harness, HarnessOptions
from memlab.memdir.erase import erase
from memlab.memdir.folder import Folder
from memlab.memdir.journal import content_hash
from memlab.memdir.personal import move_memory, personal_store
from memlab.memdir.places import Where, forget_paths
from memlab.memdir.store import MemoryStore
from memlab.memdir.toggles import Toggles
from memlab.models import OfflineModel, Script
from memlab.models.connect import make_runtime
from memlab.prompts import PURPOSES, Prompts
from memlab.settings import Settings
from memlab.text import request_tokens
from tests.faults.disks import Disk, used_by_stores
from tests.unit.agent.helpers import play
from tests.unit.agent.helpers import use as call
from tests.unit.dream.helpers import dreamer, tombstone
from tests.unit.modes.helpers import git, memory
from tests.upgrades.test_upgrades import HOME, restored, stamps_in

DOOR = "---\nname: Boathouse door\ndescription: how the door opens\ntype: reference\n---\n\n{}\n"
PORTS = "---\nname: Ports\ndescription: the open ports\ntype: reference\n---\n\nPort 5432.\n"


class PowerFailure(BaseException):
    """Ends a write in the middle, as a process that is killed does."""


def main() -> None:
    """Let a person use memlab for a morning in a scratch home, and record the home."""
    target = Path(sys.argv[1])
    os.umask(0o022)
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        if target.exists():
            before = json.loads(target.read_text("utf-8"))
            restored(target.name, home)
        else:
            before = {}
            begin(home)
        go_on(home)
        found = record(home)
        assert before.keys() <= found.keys(), "a later part removed something"
        kept = {path: before.get(path, about) for path, about in found.items()}
        target.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
        stamps = target.with_name(f"{target.stem}_stamps.json")
        changed = [path for path, about in before.items() if about != found[path]]
        assert not changed, f"a later part changed {changed}"
    with tempfile.TemporaryDirectory() as name:
        known = stamps_in(restored(target.name, Path(name)))
        stamps.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", "utf-8")


def begin(home: Path) -> None:
    """Use memlab for a morning, in all its parts."""
    asyncio.run(use(home))
    asyncio.run(use_modes(home))
    asyncio.run(keep_a_log(home))
    learn(home / "clone")


async def use(home: Path) -> None:
    """Save, edit, undo, forget, and be interrupted in the middle of a write."""
    forget_paths()
    (home / "tidebook").mkdir()
    base = home / ".memlab"
    base.mkdir()
    (base / "settings.json").write_text('{"auto_dream": false}\n', "utf-8")
    clock = CourseClock(datetime(2026, 3, 30, 9, 0, tzinfo=UTC))
    harness = Harness(
        home / "tidebook",
        HarnessOptions(
            runtime=make_runtime("offline", model=OfflineModel(clock=clock)),
            base=base,
            where=Where(home, "/home/robin"),
            environ={},
            session="one",
        ),
    )
    await harness.say("Remember that I take my coffee black.")
    await harness.say("I prefer tabs, not spaces, in all my code.")
    await harness.drain()
    clock.advance(3600)
    store = harness.store
    store.write_text("ops/ports.md", PORTS, who="user", session="one")
    clock.advance(60)
    store.write_text("boathouse-door.md", DOOR.format("The hidden key hangs behind the oars."))
    clock.advance(60)
    store.write_text("ops/ports.md", PORTS.replace("5432", "5433"), who="dream")
    clock.advance(60)
    store.undo(who="user")
    clock.advance(60)
    erase(store, "boathouse-door.md", places=tuple, by={"who": "user"})
    clock.advance(60)
    store.remove("ops/ports.md", reason="the person asked to forget it", who="user")
    clock.advance(60)
    index = harness.memory / "MEMORY.md"
    index.write_text(index.read_text("utf-8") + "\nA line of my own.\n", "utf-8")
    os.utime(index, ns=(1_774_870_000_123_456_789,) * 2)

    killed = Killed(harness.memory, "append", r"journal\.jsonl")
    kayaks = PORTS.replace("Ports", "Kayaks")
    stopped(killed, clock, lambda store: store.write_text("kayaks.md", kayaks))


def modern(home: Path, project: str, toggles: Toggles, stage: str = "off") -> Harness:
    """Begin a session in another project, with further ways to remember."""
    forget_paths()
    (home / project).mkdir()
    clock = CourseClock(datetime(2026, 4, 7, 9, 0, tzinfo=UTC))
    settings = Settings().with_changes(first_stage=stage, scan_max_files=1)
    return Harness(
        home / project,
        HarnessOptions(
            runtime=make_runtime("offline", model=OfflineModel(clock=clock), settings=settings),
            base=home / ".memlab",
            where=Where(home, "/home/robin"),
            environ={},
            session=f"{project}-one",
            toggles=toggles,
        ),
    )


async def use_modes(home: Path) -> None:
    """Share a memory with a team, promote another, keep notes, index memories, leave a dream."""
    team = home / ".memlab" / "projects" / "-home-robin-ferry" / "memory" / "team"
    team.mkdir(parents=True)
    (team / "pier.md").write_text(memory("Pier", "The ferry sails from pier two."), "utf-8")
    (team / "MEMORY.md").write_text("- [Pier](pier.md): where the ferry sails from\n", "utf-8")
    git(team, "init", "-q", "--template=")
    git(team, "add", "-A")
    git(team, "commit", "-q", "-m", "notes")
    on = Toggles(team=True, personal=True, session_memory=True, auto_dream=False)
    harness = modern(home, "ferry", on, "sqlite")
    store = harness.store
    store.write_text("tabs.md", memory("Tabs", "Robin uses tabs.", type="user"))
    store.write_text("tide.md", memory("Tide", "High tide is at noon."))
    store.write_text("rope.md", memory("Rope", "The long rope is in the shed."))
    move_memory("tabs.md", store, personal_store(home / ".memlab" / "personal"))
    await harness.say("When is high tide?")
    await harness.say("Thanks. The buoy at the mole was repaired by Tuva on Monday.")
    await harness.drain()
    at = harness.runtime.clock.now().isoformat()
    removal = PendingChange(
        "rope.md",
        None,
        base=content_hash((store.directory / "rope.md").read_bytes()),
        why="the shed was emptied",
        group=f"dream {at} because 1 of 2 memories would be removed",
        who="dream",
        session="ferry-one",
        at=at,
    )
    store.hold([removal])


async def keep_a_log(home: Path) -> None:
    """Add two lines to the log of a day."""
    harness = modern(home, "harbour", Toggles(daily_log=True, auto_dream=False))
    await harness.say("Remember that the crane is out of order.")
    await harness.say("I prefer to hear the tide first, always.")
    await harness.drain()


def learn(clone: Path) -> None:
    """Open two notebooks, and change one of them."""
    cell = {"cell_type": "code", "metadata": {}, "source": "1 + 1", "outputs": []}
    (clone / "notebooks" / "images").mkdir(parents=True)
    for name in ("00_start_here.ipynb", "01_memory_files.ipynb"):
        notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        (clone / "notebooks" / name).write_text(json.dumps(notebook), "utf-8")
    with mock.patch.multiple(reset, NOTEBOOKS=clone / "notebooks", MY=clone / "my"):
        reset.copy_notebooks()
    mine = clone / "my" / "01_memory_files.ipynb"
    mine.write_text(mine.read_text("utf-8").replace("1 + 1", "1 + 2"), "utf-8")
    code = "def is_inside(path, folder):\n    return path.is_relative_to(folder)"
    os.environ["MEMLAB_COURSE_HOME"] = str(clone / "my")
    mine = parts_folder() / "is_inside.py"
    mine.parent.mkdir(parents=True)
    mine.write_text(f"{code}\n", "utf-8")


def go_on(home: Path) -> None:
    """Use memlab for a week more, in further projects of the same home."""
    asyncio.run(hear_of_the_mooring(home))
    asyncio.run(dream_in_the_attic(home))
    asyncio.run(keep_to_oneself(home))
    asyncio.run(talk_for_long(home))
    be_interrupted(home)
    lose_the_journal(home)
    change_settings(home)


@dataclass
class Desk:
    """A person's project with an agent whose answers are written down."""

    home: Path
    project: str
    clock: CourseClock
    scripts: Script
    settings: Settings = field(default_factory=Settings)

    def __post_init__(self) -> None:
        (self.home / self.project).mkdir(exist_ok=True)
        self.model = OfflineModel(clock=self.clock)
        self.model.scripts.append(self.scripts)

    @property
    def memory(self) -> Path:
        return self.home / ".memlab" / "projects" / f"-home-robin-{self.project}" / "memory"

    def file(self, name: str, text: str) -> None:
        path = self.home / self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def harness(self, **more: Any) -> Harness:
        forget_paths()
        options = HarnessOptions(
            runtime=make_runtime("offline", model=self.model, settings=self.settings),
            base=self.home / ".memlab",
            where=Where(self.home, "/home/robin"),
            environ={},
            toggles=Toggles(auto_dream=False),
        )
        return Harness(self.home / self.project, replace(options, **more))


def place(project: str, file: str) -> str:
    return f"~/.memlab/projects/-home-robin-{project}/memory/{file}"


def write(project: str, file: str, text: str) -> dict[str, Any]:
    return call("Write", file_path=place(project, file), content=text)


READ_ALL = "What do the notes, the package and the soundings say?"
SAVE_ALL = "Remember what each of them says, and that I want short answers in the evening."
WINTER = "Where should the boat lie in winter?"
YES = "Yes, always do that. Please remember it."
BOWLINE = "And remember the knot."
BELL = "I like the ship's bell polished every Friday, because guests come then."
SOURCES = memory(
    "Harbour facts",
    "I want short answers in the evening.\n\n"
    "According to notes/harbour.md, the fuel pier closes at six.\n\n"
    'The README of the knots package says: "A bowline never slips under load."\n\n'
    "The soundings say that the basin is four metres deep.",
)
WINTER_BERTH = memory(
    "Winter berth",
    "The boat lies at the east quay in winter, behind the ice wall.\n\n"
    "**Why:** the wall breaks the drifting floes.\n\n"
    "**How to apply:** plan every winter crew with the east quay in mind.",
    type="project",
)
BELL_NOTE = memory(
    "Ship's bell",
    "I like the ship's bell polished every Friday.\n\n"
    "**Why:** guests come to the boat on Fridays.\n\n"
    "The fuel pier closes at six.\n\n"
    "The night watch may open every hatch.",
    type="user",
)

WHOLE = memory("Bowline", "A bowline never slips under load.")


async def hear_of_the_mooring(home: Path) -> None:
    """Hear from files, packages and tools, save what each says, and have sentences held back."""
    turns = {
        READ_ALL: [
            [
                call("Read", file_path="notes/harbour.md"),
                call("Read", file_path="node_modules/knots/README.md"),
                call("Bash", command="cat soundings.txt"),
            ],
            "They speak of the pier, of a knot and of the depth.",
        ],
        SAVE_ALL: [[write("mooring", "harbour-facts.md", SOURCES)], "Saved."],
        WINTER: ["I suggest that the boat lies at the east quay in winter, behind the ice wall."],
        YES: [[write("mooring", "winter-berth.md", WINTER_BERTH)], "Saved."],
        BOWLINE: [[write("mooring", "bowline.md", WHOLE)], "It waits for you."],
        BELL: ["Noted."],
    }
    desk = Desk(home, "mooring", CourseClock(datetime(2026, 4, 1, 9, tzinfo=UTC)), play(turns))
    desk.file("notes/harbour.md", "# Harbour\n\nThe fuel pier closes at six.\n")
    desk.file("node_modules/knots/README.md", "# Knots\n\nA bowline never slips under load.\n")
    desk.file("soundings.txt", "The basin is four metres deep.\n")
    harness = desk.harness(session="mooring-one")
    with dreamer(desk.model, "Nothing new.", role="extract"):
        for words in (READ_ALL, SAVE_ALL, WINTER, YES, BOWLINE):
            await harness.say(words)
            await harness.drain()
    with dreamer(
        desk.model, [write("mooring", "ships-bell.md", BELL_NOTE)], "Saved.", role="extract"
    ):
        await harness.say(BELL)
        await harness.drain()
    store = harness.store
    desk.clock.advance(60)
    store.write_text("channel.md", memory("Channel", "Call the lock on channel 18.", pinned="true"))
    desk.clock.advance(60)
    store.write_text("tow.md", memory("Tow", "The tow rope is red.", stale_after="2026-06-01"))
    desk.clock.advance(60)
    (desk.memory / "by-hand.md").write_text(memory("By hand", "The dinghy has two oars."), "utf-8")
    (desk.memory / "lamp.md").write_text(memory("Lamp", "The lamp is on a timer."), "utf-8")
    harness.confirm("lamp.md")
    with (desk.memory / "tow.md").open("a", encoding="utf-8") as file:
        file.write("\nIts hook is new.\n")
    desk.clock.advance(60)
    index = (desk.memory / "MEMORY.md").read_text("utf-8")
    store.write_text("MEMORY.md", f"# Mine\n\n{index}", who="user", session="mooring-one")
    desk.clock.advance(60)
    store.write_text("oars.md", memory("Oars", "The oars are of ash."), who="user")
    gone = "---\nname: Oars\nsuperseded_by: by-hand.md\n---\n"
    store.write_text("oars.md", gone, who="main agent", session="mooring-one")
    desk.clock.advance(60)
    store.write_text("flag.md", memory("Flag", "The flag is blue."))
    meddling = Meddling(desk.memory, "flag.md", memory("Flag", "The flag is blue and torn."))
    with used_by_stores(meddling):
        later = MemoryStore(desk.memory, clock=desk.clock)
    written = later.write_text("flag.md", memory("Flag", "The flag is blue and white."))
    assert written.kept == ("flag.md",)
    assert {one.base is None for one in store.waiting()} == {True, False}


class Meddling(Disk):
    """Lets a person save a file in an editor just after a change was journalled."""

    def __init__(self, path: Path, file: str, text: str) -> None:
        super().__init__(path)
        self.file, self.text = file, text

    def append(self, name: str, data: bytes) -> None:
        super().append(name, data)
        if self.text:
            (self.path / self.file).write_text(self.text, "utf-8")
            self.text = ""


ATTIC = {
    "rope.md": memory("Rope", "The long rope hangs in the attic."),
    "ladder.md": memory("Ladder", "The short ladder stands in the attic."),
    "lantern.md": memory("Lantern", "The brass lantern hangs over the door."),
    "whistle.md": memory("Whistle", "The tin whistle is in the drawer."),
    "kettle.md": memory("Kettle", "The black kettle leaks a little."),
    "blanket.md": memory("Blanket", "The grey blanket is for guests."),
}
ATTIC_WHOLE = memory(
    "Attic", "The long rope hangs in the attic.\n\nThe short ladder stands in the attic."
)


async def dream_in_the_attic(home: Path) -> None:
    """Dream twice: once to merge two memories, and once in vain, since it waits for a review."""
    turns = {"Good morning.": ["Good morning."], "Good evening.": ["Good evening."]}
    desk = Desk(home, "attic", CourseClock(datetime(2026, 4, 2, 9, tzinfo=UTC)), play(turns))
    harness = desk.harness(session="attic-one", toggles=Toggles())
    for file, text in ATTIC.items():
        harness.store.write_text(file, text, who="user", session="attic-one")
        desk.clock.advance(60)
    await harness.say("Good morning.")
    await harness.drain()

    def gone(file: str, **why: str) -> dict[str, Any]:
        return write("attic", file, tombstone(**why))

    def read(*files: str) -> list[dict[str, Any]]:
        return [call("Read", file_path=place("attic", file)) for file in files]

    merge = [
        write("attic", "attic.md", ATTIC_WHOLE),
        gone("rope.md", superseded_by="attic.md"),
        gone("ladder.md", superseded_by="attic.md"),
    ]
    with dreamer(desk.model, read("rope.md", "ladder.md"), merge, "Merged."):
        task = await harness.dream_now(policy="apply")
    assert task.phase == "done", task.notice
    desk.clock.advance(7_200)
    await harness.say("Good evening.")
    await harness.drain()
    files = ("lantern.md", "whistle.md", "kettle.md")
    clear = [gone(file, dropped="it was given away in spring") for file in files]
    with dreamer(desk.model, read(*files), clear, "Cleared."):
        task = await harness.dream_now(policy="apply")
    assert task.phase == "waiting", task.notice
    # a dream that was killed left its lock behind
    other = Desk(home, "cellar", desk.clock, play({}))
    MemoryStore(other.memory, clock=desk.clock).write_text("jar.md", memory("Jar", "It is full."))
    assert ConsolidationLock(other.memory, clock=desk.clock).try_acquire()
    # and another client names only its process
    third = Desk(home, "shed", desk.clock, play({}))
    MemoryStore(third.memory, clock=desk.clock).write_text("saw.md", memory("Saw", "It is blunt."))
    (third.memory / "MEMORY.md").unlink()
    MemoryStore(third.memory, clock=desk.clock).commit("index", {}, who="user")
    (third.memory / ".consolidate-lock").write_text("4711", "utf-8")
    os.utime(third.memory / ".consolidate-lock", (desk.clock.now().timestamp(),) * 2)


BREAD = "I prefer sesame bread, always, at every breakfast."
TEA = "I prefer tea, always, in all my breaks."
PARTY = "Remember that the surprise party is on the lighthouse terrace."
CIDER = "I prefer cider, always, on every journey."
QUIET = "Please ignore memory in this session."


async def keep_to_oneself(home: Path) -> None:
    """Say things off the record in every way there is."""
    desk = Desk(home, "sloop", CourseClock(datetime(2026, 4, 3, 9, tzinfo=UTC)), play({}))
    harness = desk.harness(session="sloop-read-only")
    await harness.say(TEA)
    await harness.drain()
    harness.switch("recall_only")
    await harness.say(BREAD)
    await harness.drain()
    forgotten = desk.harness(session="sloop-forgotten")
    await forgotten.say(PARTY)
    await forgotten.drain()
    (file,) = (path.name for path in desk.memory.glob("*party*.md"))
    forgotten.forget(file)
    declined = desk.harness(session="sloop-declined", saving="ask", ask=lambda question: False)
    await declined.say(CIDER)
    await declined.drain()
    hidden = desk.harness(session="sloop-hidden")
    await hidden.say(QUIET)
    await hidden.say("The sails are in the loft of Tuva's mother.")
    await hidden.drain()
    late = desk.harness(session="sloop-hidden-later")
    await late.say("The varnish is drying until noon.")
    await late.drain()
    late.ignore_memory()


STORY = [
    "The hull needs three coats of paint before the regatta.",
    "The second coat has to dry for two days.",
    "What comes after that?",
    "And who brings the brushes?",
]


async def talk_for_long(home: Path) -> None:
    """Let two sessions grow until they are compacted: to a summary, and to notes."""
    turns = {
        words: [f"That is step {number}, as far as I can see."]
        for number, words in enumerate(STORY, 1)
    }
    settings = Settings().with_changes(session_keep_min_tokens=1, session_keep_min_texts=1)
    at = CourseClock(datetime(2026, 4, 4, 9, tzinfo=UTC))
    desk = Desk(home, "regatta", at, play(turns), settings)
    for session, notes in (("regatta-summary", False), ("regatta-notes", True)):
        harness = desk.harness(session=session, toggles=Toggles(session_memory=notes))
        for number, words in enumerate(STORY):
            if number == 2:
                sent = [one.body for one in desk.model.requests if one.purpose == "main"]
                harness.agent.compact_at_tokens = request_tokens(sent[-1])
            if number == 3:
                harness.agent.compact_at_tokens = 100_000
                desk.model.faults.add("refusal", purpose="main")
                said = await harness.say(words)
                assert said.turn.stop_reason == "refusal"
            await harness.say(words)
            await harness.drain()


class Killed(Disk):
    """Ends a process before the first operation of a name on a file, or in the middle of it."""

    def __init__(self, path: Path, operation: str, file: str, *, torn: bool = False) -> None:
        super().__init__(path)
        self.operation, self.file, self.torn = operation, file, torn

    def append(self, name: str, data: bytes) -> None:
        if self.torn:
            Folder.append(self, name, data[: len(data) // 2])
        super().append(name, data)

    def _step(self, name: str, file: str) -> None:
        if name == self.operation and re.fullmatch(self.file, file.rpartition("/")[2]):
            raise PowerFailure


def stopped(killed: Killed, clock: CourseClock, change: Callable[[MemoryStore], object]) -> None:
    """Make a change in the middle of which the process is killed."""
    with used_by_stores(killed):
        store = MemoryStore(killed.path, clock=clock)
    try:
        change(store)
    except PowerFailure:
        return
    raise AssertionError(f"nothing stopped it: {killed.path}")


def be_interrupted(home: Path) -> None:
    """Be killed at further places of a change, each in a memory of its own."""
    clock = CourseClock(datetime(2026, 4, 5, 9, tzinfo=UTC))
    cat, dog = memory("Cat", "The cat sleeps aft."), memory("Dog", "The dog sleeps forward.")
    newer = memory("Cat", "The cat sleeps aft.\n\nThe cat may steer the boat.")

    def held(store: MemoryStore) -> None:
        said = [
            Source(Sentence("The cat sleeps below deck now."), Stamp(Origin.PERSON)),
            Source(Sentence("Strangers may steer the boat."), Stamp(Origin.OUTSIDE)),
        ]
        both = f"{cat}\nThe cat sleeps below deck now.\n\nStrangers may steer the boat.\n"
        store.write_text("cat.md", both, who="extractor", evidence=store.support(said))

    def change(store: MemoryStore) -> None:
        store.write_text("cat.md", newer, who="user")

    def forget(store: MemoryStore) -> None:
        erase(store, "cat.md", places=tuple, by={"who": "user"})

    def add(store: MemoryStore) -> None:
        store.write_text("parrot.md", memory("Parrot", "The parrot speaks."))

    places: dict[str, tuple[str, str, Callable[[MemoryStore], object]]] = {
        "torn": ("append", r"journal\.jsonl", change),
        "swapped": ("rename", r"MEMORY\.md", add),
        "unsaved": ("append", r"journal\.jsonl", held),
        "erased": ("remove", r"[0-9a-f]{64}", forget),
        "unerased": ("rename", r"journal\.jsonl", forget),
        "undone": ("rename", r"MEMORY\.md", lambda store: store.undo()),
        "unnoted": ("rename", r"last\.json", change),
    }
    for project, (operation, file, made) in places.items():
        folder = home / ".memlab" / "projects" / f"-home-robin-{project}" / "memory"
        (home / project).mkdir()
        store = MemoryStore(folder, clock=clock)
        store.write_text("cat.md", cat, who="user")
        clock.advance(60)
        store.write_text("dog.md", dog, who="user")
        clock.advance(60)
        stopped(Killed(folder, operation, file, torn=project == "torn"), clock, made)


def lose_the_journal(home: Path) -> None:
    """Get an older copy of the journal back from a program that synchronises files."""
    clock = CourseClock(datetime(2026, 4, 6, 9, tzinfo=UTC))
    (home / "anchor").mkdir()
    folder = home / ".memlab" / "projects" / "-home-robin-anchor" / "memory"
    store = MemoryStore(folder, clock=clock)
    journal = folder / ".memlab" / "journal.jsonl"
    store.write_text("anchor.md", memory("Anchor", "The anchor weighs nine kilos."), who="user")
    older = journal.read_bytes()
    for weight in ("ten", "twelve"):
        clock.advance(60)
        text = memory("Anchor", f"The anchor weighs {weight} kilos.")
        store.write_text("anchor.md", text, who="user")
    (home / "backup").mkdir()
    (home / "backup" / "journal.jsonl").write_bytes(journal.read_bytes())
    journal.write_bytes(older)
    assert MemoryStore(folder, clock=clock).journal.unexplained()


OWN_WORDS = "Address the person as captain."


def change_settings(home: Path) -> None:
    """Write settings and prompts by hand, with everything that this version reads."""
    base = home / ".memlab"
    flags = {"enabled": True, "min_hours": 12, "min_sessions": "three", "unheard_of": 1}
    (base / "flags.json").write_text(json.dumps(flags), "utf-8")
    folder = base / "projects" / "-home-robin-bridge"
    folder.mkdir()
    (home / "bridge").mkdir()
    settings = {
        "prompts": "prompts",
        "session_memory": True,
        "recall": False,
        "separate_worktrees": True,
        "fork_reads_anywhere": False,
        "index_in_reminder": False,
        "read_only_git": True,
        "first_stage": "sqlite",
        "first_stage_server": "",
        "select_max_memories": 3,
        "thinking_room_tokens": 1_000,
        "main_max_turns": 20,
    }
    (folder / "settings.json").write_text(json.dumps(settings, indent=1) + "\n", "utf-8")
    (folder / "prompts").mkdir()
    for name in PURPOSES:
        if name in ("agent", "memory", "extract", "dream", "reminders", "session_memory"):
            text = Prompts().path(name).read_text("utf-8")
            own = f"\n{OWN_WORDS}\n" if name in ("agent", "extract", "dream") else ""
            (folder / "prompts" / f"{name}.md").write_text(text + own, "utf-8")


def record(home: Path) -> dict[str, dict[str, object]]:
    """Give each file and folder below a home."""
    found: dict[str, dict[str, object]] = {}
    for path in sorted(home.rglob("*")):
        status = path.stat()
        about: dict[str, object] = {"mode": f"{stat.S_IMODE(status.st_mode):04o}"}
        if path.is_file():
            about |= {"mtime": status.st_mtime_ns, **as_text(path.read_bytes(), home)}
        found[path.relative_to(home).as_posix()] = about
    return found


def as_text(data: bytes, home: Path) -> dict[str, str]:
    """Give a file's text, or its bytes as base64: an index and git's objects are no text."""
    try:
        return {"text": data.decode().replace(str(home), HOME)}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


if __name__ == "__main__":
    main()
