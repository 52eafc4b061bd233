"""After a merge of two people's changes nothing is lost, and no conflict reaches a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.memdir.index import parse_pointers
from memlab.memdir.scan import has_conflict
from tests.faults.two_clones import (
    BOTH,
    BUOYS,
    LIGHTS,
    MIKAS_FERRY,
    MIKAS_TIDE,
    ROBINS_FERRY,
    Clones,
    ask,
    conflicts,
)
from tests.platforms import needs_git

PIER = "From which pier does the ferry sail?"
ALL = ["buoys.md", "ferry.md", "lights.md", "sql.md", "tide.md"]


@needs_git
@pytest.mark.slow
@pytest.mark.behaviour("L2")
def test_two_clones_lose_nothing(tmp_path: Path) -> None:
    scene = Clones(tmp_path)
    robin, mika = scene.robin, scene.mika
    scene.share()
    scene.change()
    status = scene.merge().splitlines()
    assert status == ["UU MEMORY.md", "UU ferry.md", "A  lights.md", "DU tide.md"]

    harness = robin.session("robin-2")
    index = (robin.team / "MEMORY.md").read_text("utf-8")
    assert not has_conflict(index)
    assert not [one for one in harness.notices if "is missing" in one], "nothing private is"
    assert sorted(one.file for one in parse_pointers(index)) == ALL
    assert conflicts(robin) == ["team/ferry.md:3 git has left a conflict in it"]
    joined, left = ask(harness, PIER)
    assert "team/ferry.md" not in joined
    assert "team/ferry.md: it has a git conflict on line 3" in left
    requests = "".join(str(one.body) for one in robin.house.model.requests)
    assert "<<<<<<<" not in requests
    assert MIKAS_FERRY not in requests
    ferry = (robin.team / "ferry.md").read_text("utf-8")
    assert ROBINS_FERRY in ferry
    assert MIKAS_FERRY in ferry
    # what one dropped and the other edited is still there
    assert MIKAS_TIDE in (robin.team / "tide.md").read_text("utf-8")
    assert scene.lost(robin) == []

    scene.resolve()
    for person in (robin, mika):
        again = person.session(f"{person.name}-4")
        joined, _ = ask(again, PIER)
        assert "team/ferry.md" in joined
        assert conflicts(person) == []
        texts = "".join(path.read_text("utf-8") for path in person.team.glob("*.md"))
        for sentence in (BOTH, MIKAS_TIDE, BUOYS, LIGHTS):
            assert sentence in texts
        assert BOTH in (person.team / "MEMORY.md").read_text("utf-8")
        assert person.git("status", "--short") == ""
    assert scene.lost(robin) == scene.lost(mika) == []
