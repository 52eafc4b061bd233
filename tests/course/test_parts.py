"""The learner's parts in the machine: it calls them, and whatever they do, no memory is lost."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

import memlab
from memlab import memdir
from memlab.agent import permissions
from memlab.agent.fork import ForkResult
from memlab.agent.request import RequestPrefix
from memlab.course import begin, my, parts, replay_story, two_developers
from memlab.course.gap import all_gaps
from memlab.course.gaps.nb08 import Extractor, scheduled
from memlab.course.lab import Lab
from memlab.events import ExtractionCompleted, MemoriesRecalled
from memlab.extract import extractor
from tests.house import House
from tests.platforms import needs_git

IMPORT = re.compile(r"from ([\w.]+) import (\([^)]*\)|.*)")


def raises(*given: Any, **named: Any) -> Any:
    raise RuntimeError("a mistake of the learner's")


class Raises(Extractor):
    async def turn_ended(self, conversation: Any) -> None:
        raises()


class Stuck(Extractor):
    async def turn_ended(self, conversation: Any) -> None:
        await super().turn_ended(conversation)
        self.running = True


class Repeating(Extractor):
    async def process(self, conversation: Any) -> None:
        for _ in range(2):
            self.cursor = self.stash = None
            await super().process(conversation)


class Eager(Extractor):
    async def turn_ended(self, conversation: Any) -> None:
        await self.process(conversation)


BROKEN = {n: Raises if isinstance(gap.ours, type) else raises for n, gap in all_gaps().items()}


def lived(lab: Lab, **instead: Any) -> tuple[Any, Counter[str]]:
    """Live two sessions, with words instead of a side-query: what came of it, and the calls."""

    def no_side_query(model: Any) -> None:
        model.faults.clear()
        model.faults.add("overloaded", purpose="select", times=100)

    with my.completed(**instead) as calls:
        live = replay_story(lab, "lived", sessions=2, before_session=no_side_query)
        replay = asyncio.run(live)
    files = {path.name: path.read_bytes() for path in replay.memory.glob("*.md")}
    recalled = [event.attached for event in replay.events.of(MemoriesRecalled)]
    return (files, recalled, replay.ledger.total()), calls


def test_with_broken_parts_the_memory_is_the_same() -> None:
    ours, _ = lived(begin(12))
    broken, calls = lived(begin(12), **BROKEN)
    assert broken == ours
    assert len(ours[0]) > 2
    assert any(ours[1])
    assert sum(count > 0 for count in calls.values()) > 15


@pytest.mark.parametrize("mine", [Extractor, Raises, Stuck, Repeating, Eager])
def test_with_any_extractor_every_message_is_read_once(
    mine: type, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, under_way = Random(7), []

    async def fork_of(*given: Any, **named: Any) -> ForkResult:
        assert not under_way, "two runs at once"
        under_way.append("run")
        await house.clock.sleep(chance.choice((0, 1, 5, 30)))
        under_way.clear()
        return ForkResult("", *chance.choice((("done", ""), ("done", ""), ("error", "Failed."))))

    async def turns() -> None:
        for end in range(2, 62, 2):
            said = ({"role": "user", "content": "Yes."},) * end
            conversation = RequestPrefix("m", "system", (), said, tuple(map(str, range(end))))
            hook = asyncio.create_task(extract(conversation))
            await house.clock.sleep(chance.choice((0, 1, 10)) if end < 60 else 1_000)
        while extract.cursor != "59":
            await extract(conversation)
        await hook

    monkeypatch.setattr(extractor, "run_forked_agent", fork_of)
    kind: Any = scheduled(mine, extractor.Extractor)
    extract = kind(runtime=house.runtime(), tools=(), context=house.context())
    asyncio.run(turns())
    read: list[int] = []
    for event in house.events.of(ExtractionCompleted):
        read += range(int(event.first), int(event.last) + 1)
    assert read == list(range(60))
    assert parts.calls["Extractor"]


@pytest.mark.parametrize("mine", [True, False])
def test_a_guard_of_the_learners_never_allows_what_memlab_refuses(
    mine: bool, tmp_path: Path
) -> None:
    my.use(all_gaps()["is_inside"], lambda path, folder: mine)
    assert permissions.is_inside("/etc/passwd", str(tmp_path)) is False
    assert permissions.is_inside(str(tmp_path / "a"), str(tmp_path)) is mine


def test_no_module_imports_a_function_by_name_that_a_part_replaces() -> None:
    places = {gap.place for gap in all_gaps().values()}
    found = set()
    for file in Path(memlab.__path__[0]).rglob("*.py"):
        if "gaps" not in file.parts:
            for module, names in IMPORT.findall(file.read_text("utf-8")):
                found |= {f"{module}.{name}" for name in re.findall(r"\w+", names)} & places
    assert not found, "it would go on with memlab's own"


def test_a_package_gives_a_part_only_while_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = memdir.parse_pointers
    with monkeypatch.context() as patch:
        patch.setattr("memlab.memdir.index.parse_pointers", raises)
        assert memdir.parse_pointers is raises
    assert memdir.parse_pointers is ours


@needs_git
def test_whatever_git_is_configured_to_do_two_clones_conflict_and_call_the_learners_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    robin, mika = two_developers(begin(15))
    for person in (mika, robin):
        (person.team / "season-opening.md").write_text(f"{person.name}'s\n", "utf-8")
        person.git(f"commit -am 'By {person.name}'")
    mika.git("push")
    assert "Mika: By Mika" in mika.git("log --format='%an: %s'")
    robin.git("fetch")
    assert "CONFLICT" in robin.git("merge origin/main")
    with my.completed() as calls:
        said = asyncio.run(robin.agent("team", "personal").say("When does the season open?"))
    assert "team/season-opening.md" not in said.recalled
    assert calls["has_conflict"]
    assert calls["project_wins"]


def test_the_whole_system_is_shown_as_one_file_that_runs() -> None:
    system = {name for name, gap in all_gaps().items() if gap.notebook <= 11}
    names: dict[str, Any] = {}
    exec(compile(my.system().markdown, "system", "exec"), names)
    assert names.keys() >= system
