"""Two developers and their clones: what git needs, and that memlab calls notebook 15's parts."""

from __future__ import annotations

import asyncio
import shutil

import pytest

from memlab.course import begin, own_parts, two_developers
from memlab.errors import CourseError
from tests.platforms import needs_git


def test_without_git_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = begin(15)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(CourseError, match=r"there is none. Install it from git-scm\.com"):
        two_developers(lab)


@needs_git
def test_whatever_git_is_configured_to_do_a_session_calls_the_learners_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    robin, mika = two_developers(begin(15))
    for person in (mika, robin):
        (person.team / "season-opening.md").write_text(f"{person.name}'s\n", "utf-8")
        person.git(f"commit -am 'By {person.name}'")
    mika.git("push")
    assert "rejected" in robin.git("push")
    robin.git("fetch")
    assert "CONFLICT" in robin.git("merge origin/main")
    assert "Mika: By Mika" in mika.git("log --format='%an: %s'")
    with own_parts.my.completed() as calls:
        agent = robin.agent("team", "personal")
        agent.promote("about-robin.md")
        said = asyncio.run(agent.say("When does the season open?"))
        assert "team/season-opening.md" not in said.recalled
        assert calls["has_conflict"]
        assert calls["project_wins"]
