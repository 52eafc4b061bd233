"""After a merge of two people's changes nothing is lost, and no conflict reaches a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.harness import Harness
from memlab.memdir.doctor import diagnose
from memlab.memdir.index import parse_pointers
from memlab.memdir.scan import has_conflict
from memlab.memdir.toggles import Toggles
from tests.house import House, git, note, talk
from tests.platforms import needs_git

PIER = "From which pier does the ferry sail?"
OURS, THEIRS = (
    "The ferry sails at 07:50 from pier two.",
    "The ferry sails at 08:10 from pier three.",
)
BOTH = "The ferry sails at 07:50 from pier two, and at 08:10 from pier three."
TIDE = "The tide tables hang in the harbour office since March."
BUOYS, LIGHTS = "Buoys are counted in May.", "The pier's lights are switched on at dusk."


class Person:
    """Somebody with a home, a project, and a clone of the team's memory."""

    def __init__(self, home: Path) -> None:
        self.house = House(home)
        self.team = self.house.memory / "team"
        self.house.memory.mkdir(parents=True)
        git(self.house.memory, "clone", "-q", str(home.parent / "origin.git"), "team")

    def begin(self) -> Harness:
        return self.house.harness(toggles=Toggles(team=True))

    def save(self, **texts: str) -> None:
        """Change memories of the team (an empty text drops one), and commit."""
        store = self.begin().store
        for name, text in texts.items():
            file = f"team/{name}.md"
            if text:
                store.write_text(file, note(text, name.capitalize(), "reference"), who="user")
            else:
                store.remove(file, who="user")
        git(self.team, "add", "-A")
        git(self.team, "commit", "-q", "-m", "notes")

    def texts(self) -> str:
        return "".join(path.read_text("utf-8") for path in sorted(self.team.glob("*.md")))

    def conflicts(self) -> list[str]:
        found = diagnose(self.house.memory, now=self.house.clock.now()).findings
        return [one.file for one in found if one.rule == "conflict"]


@needs_git
@pytest.mark.slow
@pytest.mark.behaviour("L2")
def test_two_clones_lose_nothing(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "origin.git")
    mika = Person(tmp_path / "mika")
    mika.save(
        ferry="The ferry sails at 07:40 from pier two.", tide="The tide tables hang in the hut."
    )
    git(mika.team, "push", "-q", "origin", "HEAD:main")
    robin = Person(tmp_path / "robin")
    robin.save(ferry=OURS, buoys=BUOYS, tide="")
    mika.save(ferry=THEIRS, lights=LIGHTS, tide=TIDE)
    git(mika.team, "push", "-q", "origin", "HEAD:main")
    git(robin.team, "pull", "-q", "--no-rebase", "origin", "main", fails=True)
    status = git(robin.team, "status", "--short").splitlines()
    assert status == ["UU MEMORY.md", "UU ferry.md", "A  lights.md", "DU tide.md"]
    harness = robin.begin()
    index = (robin.team / "MEMORY.md").read_text("utf-8")
    assert not has_conflict(index)
    files = sorted(one.file for one in parse_pointers(index))
    assert files == ["buoys.md", "ferry.md", "lights.md", "tide.md"]
    assert robin.conflicts() == ["team/ferry.md"]
    (said,) = talk(harness, PIER)
    assert "team/ferry.md" not in said.recalled
    requests = "".join(str(one.body) for one in robin.house.model.requests)
    assert "<<<<<<<" not in requests + harness.agent.system
    assert THEIRS not in requests
    for sentence in (OURS, THEIRS, TIDE, BUOYS, LIGHTS):
        assert sentence in robin.texts()

    (robin.team / "ferry.md").write_text(note(BOTH, "Ferry", "reference"))
    robin.save()
    git(robin.team, "push", "-q", "origin", "HEAD:main")
    git(mika.team, "pull", "-q", "--no-rebase", "origin", "main")
    for person in (robin, mika):
        (said,) = talk(person.begin(), PIER)
        assert said.recalled == ("team/ferry.md",)
        assert person.conflicts() == []
        for sentence in (BOTH, TIDE, BUOYS, LIGHTS):
            assert sentence in person.texts()
        assert git(person.team, "status", "--short") == ""
