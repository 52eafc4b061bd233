"""Two clones of one repository: what git refuses, merges and leaves to a person, anywhere."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from memlab.course import Developer, begin, own_parts, two_developers
from memlab.errors import CourseError
from tests.platforms import needs_git

pytestmark = needs_git


def both_edit() -> tuple[Developer, Developer]:
    robin, mika = two_developers(begin(15))
    robin.team.write("season.md", "The season opens in April.\n")
    robin.team.write("tides.md", "From the almanac.\n")
    robin.team.commit("Two memories")
    assert robin.team.push() == "pushed"
    mika.clone_team()
    robin.team.replace("season.md", "April", "May")
    robin.team.commit("May")
    mika.team.replace("season.md", "April", "June")
    mika.team.write("radio.md", "Channel 8.\n")
    mika.team.commit("June, and the radio")
    return robin, mika


def test_the_second_push_is_refused_and_a_merge_loses_nothing_whatever_git_is_configured_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    monkeypatch.setenv("GIT_DEFAULT_HASH", "sha256")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    robin, mika = both_edit()
    assert robin.team.log().splitlines() == [
        "* f281ca5 30 Mar 09:01 Robin: May",
        "* 795045b 30 Mar 09:00 Robin: Two memories",
    ]
    assert robin.team.push() == "pushed"
    assert mika.team.push() == "refused: fetch first"
    assert mika.team.pull() == "conflicts in season.md"
    assert "June" in mika.team.read("season.md")
    assert "May" in mika.team.read("season.md")

    mika.team.write("season.md", "The season opens in May.\n")
    mika.team.commit("Merge")
    assert mika.team.push() == "pushed"
    assert robin.team.pull() == "merged"
    assert robin.team.read("radio.md") == "Channel 8.\n"
    assert robin.team.log() == mika.team.log()


def test_without_git_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = begin(15)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(CourseError, match=r"there is none. Install it from git-scm\.com"):
        two_developers(lab)


def test_the_system_calls_the_parts_of_notebook_15() -> None:
    robin, mika = both_edit()
    with own_parts.my.completed() as calls:
        use_both_modes(robin, mika)
        assert calls["has_conflict"]
        assert calls["project_wins"]


def use_both_modes(robin: Developer, mika: Developer) -> None:
    robin.team.push()
    mika.team.pull()
    mika.store.write_text(
        "boats.md", "---\nname: Boats\ndescription: red\ntype: user\n---\n\nMika likes red.\n"
    )
    agent = mika.agent("monday", "team", "personal")
    agent.promote("boats.md")
    told = asyncio.run(agent.say("When does the season open?"))
    assert "team/season.md" not in told.recalled
