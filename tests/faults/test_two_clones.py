"""After a merge of two people's changes nothing is lost, and no conflict reaches a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.memdir.index import parse_pointers
from memlab.memdir.toggles import Toggles
from tests.house import House, git, note, talk
from tests.platforms import needs_git

PIER = "From which pier does the ferry sail?"
OURS, THEIRS = "The ferry sails at 07:50, pier two.", "The ferry sails at 08:10, pier three."
NEW = {"tide": "Tides hang in the office.", "buoys": "Buoys are counted.", "lights": "Lights burn."}
TEAM = Toggles(team=True)


class Person(House):
    """Somebody with a home, a project, and a clone of the team's memory."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.memory.mkdir(parents=True)
        git(self.memory, "clone", "-q", "../" * 5 + "origin.git", "team")
        self.team = self.memory / "team"

    def save(self, push: bool = True, **texts: str) -> None:
        """Change memories of the team (an empty text drops one), commit, and push."""
        store = self.harness(toggles=TEAM).store
        for name, text in texts.items():
            if text:
                store.write_text(f"team/{name}.md", note(text, name.capitalize(), "reference"))
            else:
                store.remove(f"team/{name}.md")
        git(self.team, "add", "-A")
        git(self.team, "commit", "-q", "-m", "notes")
        if push:
            git(self.team, "push", "-q", "origin", "HEAD:main")

    def texts(self) -> str:
        return "".join(path.read_text("utf-8") for path in sorted(self.team.glob("*.md")))


@needs_git
@pytest.mark.slow
@pytest.mark.behaviour("L2")
def test_two_clones_lose_nothing(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "origin.git")
    mika = Person(tmp_path / "mika")
    mika.save(ferry="The ferry sails at 07:40.", tide="The tide tables hang in the hut.")
    robin = Person(tmp_path / "robin")
    robin.save(push=False, ferry=OURS, buoys=NEW["buoys"], tide="")
    mika.save(ferry=THEIRS, lights=NEW["lights"], tide=NEW["tide"])
    git(robin.team, "pull", "-q", "--no-rebase", "origin", "main", fails=True)
    status = git(robin.team, "status", "--short").splitlines()
    assert status == ["UU MEMORY.md", "UU ferry.md", "A  lights.md", "DU tide.md"]
    harness = robin.harness(toggles=TEAM)
    files = [one.file for one in parse_pointers((robin.team / "MEMORY.md").read_text("utf-8"))]
    assert sorted(files) == ["buoys.md", "ferry.md", "lights.md", "tide.md"]
    (said,) = talk(harness, PIER)
    assert "team/ferry.md" not in said.recalled
    requests = "".join(str(one.body) for one in robin.model.requests) + harness.agent.system
    assert not [one for one in ("<<<<<<<", THEIRS) if one in requests]
    assert [one for one in (OURS, THEIRS, *NEW.values()) if one not in robin.texts()] == []

    both = f"{OURS[:-1]}, and at 08:10 from pier three."
    (robin.team / "ferry.md").write_text(note(both, "Ferry", "reference"))
    robin.save()
    git(mika.team, "pull", "-q", "--no-rebase", "origin", "main")
    for person in (robin, mika):
        (said,) = talk(person.harness(toggles=TEAM), PIER)
        assert said.recalled == ("team/ferry.md",)
        assert [one for one in (both, *NEW.values()) if one not in person.texts()] == []
        assert git(person.team, "status", "--short") == ""
