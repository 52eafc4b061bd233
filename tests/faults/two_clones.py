"""Two people with a clone each change the same memories, and git merges what they wrote.

``python -m tests.faults.two_clones`` prints what happens, with git's own history.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memlab.harness import Harness
from memlab.memdir.doctor import diagnose
from memlab.memdir.places import forget_paths
from memlab.memdir.toggles import Toggles
from tests.unit.modes.helpers import git, memory
from tests.unit.test_harness import House

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)
FERRY = "The ferry sails at 07:40 from pier two."
ROBINS_FERRY = "The ferry sails at 07:50 from pier two."
MIKAS_FERRY = "The ferry sails at 08:10 from pier three."
BOTH = "The ferry sails at 07:50 from pier two, and at 08:10 from pier three."
TIDE = "The tide tables hang in the hut."
MIKAS_TIDE = "The tide tables hang in the harbour office since March."
BUOYS = "Buoys are counted on the first of each month."
LIGHTS = "The pier's lights are switched on at dusk."
SQL = "Keywords of SQL are in upper case."
EVERYTHING = (FERRY, ROBINS_FERRY, MIKAS_FERRY, TIDE, MIKAS_TIDE, BUOYS, LIGHTS, SQL)


@dataclass
class Person:
    """Somebody with a home, a project, and a clone of the team's memory."""

    name: str
    house: House

    @property
    def team(self) -> Path:
        return self.house.memory / "team"

    def git(self, *words: str, at: datetime = BEGIN, fails: bool = False) -> str:
        return git(self.team, *words, by=self.name, at=at, fails=fails)

    def session(self, name: str) -> Harness:
        return self.house.harness(name, toggles=Toggles(team=True))

    def commit(self, message: str, *, at: datetime) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message, at=at)


@dataclass
class Clones:
    """The shared repository, and two people with a clone each."""

    folder: Path
    tell: Callable[[str], object] = field(default=lambda line: None)

    def __post_init__(self) -> None:
        forget_paths()
        self.origin = self.folder / "origin.git"
        git(self.folder, "init", "-q", "--bare", str(self.origin))
        self.robin = Person("Robin", House(self.folder / "robin"))
        self.mika = Person("Mika", House(self.folder / "mika"))

    def clone(self, person: Person) -> None:
        person.house.memory.mkdir(parents=True, exist_ok=True)
        git(person.house.memory, "clone", "-q", str(self.origin), "team")

    def share(self) -> None:
        """Let Mika share three memories, which Robin clones."""
        self.clone(self.mika)
        store = self.mika.session("mika-1").store
        for file, body in (("ferry.md", FERRY), ("tide.md", TIDE), ("sql.md", SQL)):
            name = file.removesuffix(".md").capitalize()
            store.write_text(f"team/{file}", memory(name, body), who="user")
        self.mika.commit("Ferry, tide, SQL", at=BEGIN)
        self.mika.git("push", "-q", "origin", "HEAD:main")
        self.clone(self.robin)
        self.tell("Mika has shared ferry.md, tide.md, sql.md and an index. Robin has cloned them.")

    def change(self) -> None:
        """Have both change the same memory and the index, and Robin drop what Mika edits."""
        mine = self.robin.session("robin-1").store
        mine.write_text("team/ferry.md", memory("Ferry", ROBINS_FERRY), who="user")
        mine.write_text("team/buoys.md", memory("Buoys", BUOYS), who="user")
        mine.remove("team/tide.md", reason="the hut is gone", who="user")
        self.robin.commit("Ferry at 07:50, buoys, no tide", at=BEGIN + timedelta(hours=2))
        self.tell("Robin edits ferry.md, adds buoys.md and drops tide.md.")

        theirs = self.mika.session("mika-2").store
        theirs.write_text("team/ferry.md", memory("Ferry", MIKAS_FERRY), who="user")
        theirs.write_text("team/lights.md", memory("Lights", LIGHTS), who="user")
        theirs.write_text("team/tide.md", memory("Tide", MIKAS_TIDE), who="user")
        self.mika.commit("Ferry at 08:10, lights, tide tables", at=BEGIN + timedelta(hours=3))
        self.mika.git("push", "-q", "origin", "HEAD:main")
        self.tell("Mika edits ferry.md, adds lights.md and edits tide.md. She pushes first.")

    def merge(self) -> str:
        """Have Robin merge what Mika has pushed; git cannot merge three files."""
        self.robin.git("fetch", "-q")
        at = BEGIN + timedelta(hours=4)
        self.robin.git("merge", "-q", "-m", "Merge", "origin/main", at=at, fails=True)
        status = self.robin.git("status", "--short")
        self.tell("Robin merges. git status --short:")
        self.tell(status)
        return status

    def resolve(self) -> None:
        """Have Robin resolve the conflict by hand, begin a session, and push; Mika pulls."""
        text = memory("Ferry", BOTH)
        (self.robin.team / "ferry.md").write_text(text, encoding="utf-8")
        self.robin.session("robin-3")  # the ferry's line in the index gets its new hook
        self.robin.commit("Merge: both ferries, the tide stays", at=BEGIN + timedelta(hours=5))
        self.robin.git("push", "-q", "origin", "HEAD:main")
        self.mika.git("pull", "-q", "--no-rebase", "origin", "main")
        self.tell("Robin writes both times into ferry.md, begins a session and pushes. Mika pulls.")

    def lost(self, person: Person) -> list[str]:
        """Name the sentences that are in no file, no commit and no earlier version of somebody."""
        texts = [path.read_text("utf-8") for path in person.team.glob("*.md")]
        texts.append(person.git("log", "--all", "-p", "--format=%s", "-m"))
        store = person.house.harness("look", toggles=Toggles(team=True)).store
        texts += [
            store.content(sha).decode("utf-8", "replace")
            for entry in store.history()
            for sha in entry.hashes
        ]
        return [text for text in EVERYTHING if not any(text in one for one in texts)]


def conflicts(person: Person) -> list[str]:
    """Give what the doctor says of conflicts."""
    found = diagnose(person.house.memory, now=person.house.clock.now()).findings
    return [f"{one.file}:{one.line} {one.message}" for one in found if one.rule == "conflict"]


def ask(harness: Harness, text: str) -> tuple[list[str], list[str]]:
    """Say something; give the memories that joined in, and those left out, with the reason."""

    async def turn() -> None:
        await harness.say(text)
        await harness.drain()

    asyncio.run(turn())
    assert harness.recall_report
    left = [f"{one.filename}: {one.detail}" for one in harness.recall_report.left_out if one.detail]
    return [one.filename for one in harness.recall_report.attachments], left


def main() -> None:
    """Print what happens."""
    with tempfile.TemporaryDirectory() as folder:
        scene = Clones(Path(folder), print)
        scene.share()
        scene.change()
        scene.merge()
        print("\nferry.md as git leaves it:")
        print((scene.robin.team / "ferry.md").read_text("utf-8"))
        print("team/MEMORY.md as git leaves it:")
        print((scene.robin.team / "MEMORY.md").read_text("utf-8"))
        print("Robin's next session begins:")
        harness = scene.robin.session("robin-2")
        for notice in harness.notices:
            print(f"  notice: {notice}")
        print("team/MEMORY.md now:")
        print((scene.robin.team / "MEMORY.md").read_text("utf-8"))
        print("doctor:", *conflicts(scene.robin), sep="\n  ")
        joined, left = ask(harness, "From which pier does the ferry sail?")
        print(f"asked about the ferry: recalled {joined}, left out {left}")
        print(f"sentences lost: {scene.lost(scene.robin)}\n")
        scene.resolve()
        for person in (scene.robin, scene.mika):
            again = person.session(f"{person.name.lower()}-4")
            joined, left = ask(again, "From which pier does the ferry sail?")
            print(f"{person.name}: recalled {joined}; conflicts {conflicts(person)}; ", end="")
            print(f"lost {scene.lost(person)}")
        print("\ngit log --graph (Mika's clone)")
        print(scene.mika.git("log", "--graph", "--format=%h %ad %an: %s", "--date=iso"))
        print("\ngit log --graph --stat, the files only")
        print(
            scene.mika.git(
                "log", "--graph", "-m", "--first-parent", "--stat", "--format=%h %an: %s"
            )
        )


if __name__ == "__main__":
    main()
