"""The learner's parts in the machine: it calls them, and whatever they do, no memory is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memlab.agent import fork, permissions
from memlab.course import begin, my, part_calls, parts, replay_story
from memlab.course.agents import agent_for
from memlab.course.gap import all_gaps
from memlab.course.gaps.nb08 import Extractor, scheduled
from memlab.extract import extractor
from tests.platforms import needs_posix
from tests.unit.extract.test_schedules import play


def raises(*given: Any, **named: Any) -> Any:
    raise RuntimeError("a mistake of the learner's")


class Raises:
    """Cannot do anything."""

    def __init__(self, extract: Any) -> None:
        pass

    async def turn_ended(self, conversation: Any) -> None:
        raises()


BROKEN = {
    name: Raises if isinstance(gap.ours, type) else raises for name, gap in all_gaps().items()
}


@pytest.mark.parametrize(
    ("sessions", "instead"), [(3, BROKEN), pytest.param(14, {}, marks=pytest.mark.slow)]
)
def test_with_solutions_or_broken_parts_the_memory_is_the_same(
    sessions: int, instead: dict[str, Any]
) -> None:
    lab = begin(12)
    ours = asyncio.run(replay_story(lab, "ours", sessions=sessions))
    with my.completed(**instead) as calls:
        yours = asyncio.run(replay_story(lab, "yours", sessions=sessions))
    kept = [
        {file.name: file.read_bytes() for file in replay.memory.glob("*.md")}
        for replay in (ours, yours)
    ]
    assert kept[0] == kept[1] != {}
    assert ours.ledger.total() == yours.ledger.total()
    assert sum(count > 0 for count in calls.values()) > 15


class Stuck(Extractor):
    """Believes for ever that a run is under way."""

    async def turn_ended(self, conversation: Any) -> None:
        await super().turn_ended(conversation)
        self.running = True


class Repeating(Extractor):
    """Has every run twice, with all messages, and loses what was stashed."""

    async def process(self, conversation: Any) -> None:
        for _ in range(2):
            self.cursor = self.stash = None
            await super().process(conversation)


class Eager(Extractor):
    """Starts a run whether or not another is under way."""

    async def turn_ended(self, conversation: Any) -> None:
        await self.process(conversation)


@pytest.mark.parametrize("mine", [Extractor, Raises, Stuck, Repeating, Eager])
def test_with_any_extractor_no_message_is_lost_or_read_twice(
    mine: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = scheduled(mine, extractor.Extractor)
    monkeypatch.setattr("tests.unit.extract.test_schedules.Extractor", kind)
    assert play(range(12), tmp_path, monkeypatch)
    assert parts.calls["Extractor"]


@needs_posix
@pytest.mark.parametrize(("mine", "allowed"), [(True, True), (raises, True), (False, False)])
def test_a_guard_of_the_learners_never_allows_what_memlab_refuses(mine: Any, allowed: bool) -> None:
    lab = begin(7)
    for name in ("is_inside", "may_write", "is_read_only_command"):
        parts.install(all_gaps()[name], mine if callable(mine) else lambda *given: mine)
    context = fork.fork_context(agent_for(lab, "guards").context, who="extractor")
    permission = permissions.memory_permissions(context)
    for name, given, ours in (
        ("Read", {"file_path": "README.md"}, True),
        ("Read", {"file_path": "/etc/passwd"}, False),
        ("Bash", {"command": "ls -l"}, True),
        ("Bash", {"command": "ls; rm x"}, False),
        ("Write", {"file_path": f"{lab.memory}/ferry.md"}, True),
        ("Write", {"file_path": "CLAUDE.md"}, False),
    ):
        assert bool(permission(name, given)) is (ours and allowed), (name, given)


def test_the_capstone_lists_every_part_and_shows_the_system_as_one_file() -> None:
    system = [name for name, gap in all_gaps().items() if gap.notebook <= 11]
    rows = {row[1]: row for row in part_calls(Counter(truncate_index=7)).rows}
    assert list(rows) == system
    assert rows["truncate_index"][2:] == ("our solution", "memlab.memdir.index", "7", "")
    assert "only cells" in rows["agent_loop"][5]
    shown = my.system()
    assert shown._repr_markdown_().startswith("<details><summary>")
    names: dict[str, Any] = {}
    exec(compile(shown.markdown, "system", "exec"), names)
    assert set(names) >= {*system}
    assert f"{len(system)} parts; 0 of them are yours" in repr(shown)
