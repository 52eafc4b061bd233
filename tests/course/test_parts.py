"""The learner's parts in the machine: it calls them, and whatever they do, no memory is lost."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from memlab.agent import fork, permissions
from memlab.agent.fork import ForkResult
from memlab.agent.request import RequestPrefix
from memlab.course import agent_for, begin, harness_for, my, part_calls, parts, replay_story
from memlab.course.clones import two_developers
from memlab.course.gap import all_gaps
from memlab.course.gaps.nb08 import Extractor, scheduled
from memlab.course.lab import Lab
from memlab.course.replay import Replay
from memlab.events import ExtractionCompleted, MemoriesRecalled
from memlab.extract import extractor
from memlab.memdir.toggles import Toggles
from tests.house import House
from tests.platforms import needs_git, needs_posix


def pointer_line(file: str, title: str, hook: str) -> str:
    return f"- [{title}]({file}) — {hook}!"


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


Lived = tuple[dict[str, bytes], int, Replay]
BROKEN = {n: Raises if isinstance(gap.ours, type) else raises for n, gap in all_gaps().items()}


def lived(lab: Lab, name: str = "yours") -> Lived:
    """Live two sessions, with words instead of a side-query: memories, how many were recalled."""

    def no_side_query(model: Any) -> None:
        model.faults.clear()
        model.faults.add("overloaded", purpose="select", times=100)

    replay = asyncio.run(replay_story(lab, name, sessions=2, before_session=no_side_query))
    files = {path.name: path.read_bytes() for path in replay.memory.glob("*.md")}
    recalled = sum(len(event.attached) for event in replay.events.of(MemoriesRecalled))
    return files, recalled, replay


@pytest.fixture(scope="module")
def ours(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[dict[str, bytes], int, Replay]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMLAB_COURSE_HOME", str(tmp_path_factory.mktemp("course")))
        yield lived(begin(12), "ours")


def test_with_broken_parts_the_memory_is_the_same(ours: Any) -> None:
    lab = begin(12)
    with my.completed(**BROKEN) as calls:
        files, recalled, replay = lived(lab)
    assert (files, recalled) == ours[:2]
    assert len(files) > 2
    assert replay.ledger.total() == ours[2].ledger.total()
    assert sum(count > 0 for count in calls.values()) > 15


@pytest.mark.slow
def test_parts_that_do_otherwise_are_seen(ours: Any) -> None:
    lab, others = begin(12), {"pointer_line": pointer_line, "keyword_rank": lambda *given: []}
    with my.completed(**others) as calls:
        files, recalled, _ = lived(lab)
    assert {name for name in files if files[name] != ours[0].get(name)} == {"MEMORY.md"}
    assert ours[1] > 0 == recalled
    assert calls["keyword_rank"] > 3


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
        fate = chance.choice(("done", "done", "error"))
        return ForkResult("", fate, "" if fate == "done" else "It failed.")

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


@needs_posix
@pytest.mark.parametrize(("mine", "allowed"), [(True, True), (raises, True), (False, False)])
def test_a_guard_of_the_learners_never_allows_what_memlab_refuses(mine: Any, allowed: bool) -> None:
    lab = begin(7)
    for name in ("is_inside", "may_write", "is_read_only_command"):
        parts.install(all_gaps()[name], mine if callable(mine) else lambda *given: mine)
    context = fork.fork_context(agent_for(lab, "guards").context, who="extractor")
    permission = permissions.memory_permissions(context)
    calls = {"README.md": True, "/etc/passwd": False, "ls -l": True, "ls; rm x": False}
    for given, verdict in (calls | {f"{lab.memory}/ferry.md": True, "CLAUDE.md": False}).items():
        tool = "Bash" if "ls" in given else "Read" if given in calls else "Write"
        asked = permission(tool, {"command" if tool == "Bash" else "file_path": given})
        assert bool(asked) is (verdict and allowed), given


def test_a_session_in_each_mode_calls_the_learners_parts() -> None:
    lab = begin(14)
    changes = {"compact_at_tokens": 1, "session_keep_min_tokens": 9, "session_keep_min_texts": 1}
    small = lab.runtime.with_changes(settings=lab.settings.with_changes(**changes))

    async def say(name: str, words: str, **more: Any) -> None:
        harness = harness_for(lab, name, **more)
        for sentence in words.split("/"):
            await harness.say(sentence)
            await harness.drain()

    async def scene() -> None:
        notes = Toggles(session_memory=True, recall=False)
        await say("noted", "Keep it short./Sort it./What is on it?", toggles=notes, runtime=small)
        for name in ("morning", "afternoon"):
            words = "Maren wants to open at 10:00. The crew has to be there at 08:30."
            await say(name, words, toggles=Toggles(daily_log=True, recall=False))

    with my.completed() as called:
        asyncio.run(scene())
    assert all(called[name] for name in ("keep_tail", "may_append", "log_tail")), called


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
    assert "rejected" in robin.git("push")
    robin.git("fetch")
    assert "CONFLICT" in robin.git("merge origin/main")
    assert "Mika: By Mika" in mika.git("log --format='%an: %s'")
    with my.completed() as calls:
        agent = robin.agent("team", "personal")
        agent.promote("about-robin.md")
        said = asyncio.run(agent.say("When does the season open?"))
    assert "team/season-opening.md" not in said.recalled
    assert calls["has_conflict"]
    assert calls["project_wins"]


def test_the_capstone_lists_every_part_and_shows_the_system_as_one_file() -> None:
    system = [name for name, gap in all_gaps().items() if gap.notebook <= 11]
    rows = {row[1]: row for row in part_calls(Counter(truncate_index=7)).rows}
    assert list(rows) == system
    row = ("our solution", "memlab.memdir.index", "7", "")
    assert rows["truncate_index"][2:] == row
    assert "only cells" in rows["agent_loop"][5]
    shown = my.system()
    names: dict[str, Any] = {}
    exec(compile(shown.markdown, "system", "exec"), names)
    assert set(names) >= {*system}
    assert f"{len(system)} parts; 0 of them are yours" in repr(shown)
