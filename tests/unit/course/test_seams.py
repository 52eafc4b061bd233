"""The parts in the machine: the story is the same with every solution as with memlab's own code."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.course import (
    all_exercises,
    begin,
    harness_for,
    my,
    scripted_messages,
    show_source,
)
from memlab.course.agents import tool_context
from memlab.course.dreaming import dream_once
from memlab.course.lab import Lab
from memlab.course.my_parts import run_solution
from memlab.course.seams import SEAMS, install_seams, remove_seams
from memlab.events import NoticeFailed
from memlab.memdir import Memory, MemoryStore, MemoryType, scan_memory_files
from memlab.recall import Surfaced, recall

NOT_IN_THE_STORY = {
    "answer_open_call": "no turn is interrupted",
    "terms": "the ranking is the learner's too, and calls my.terms",
    "memory_block": "only the sessions of notebook 00 call it",
    "add_memory": "only the sessions of notebook 00 call it",
    "majority": "only the bench compares prompts",
    "mcnemar": "only the bench compares prompts",
    "keep_tail": "no session memory",
    "may_append": "no daily log",
    "log_tail": "no daily log",
    "rare_terms": "no first stage",
    "has_conflict": "no memory comes through git",
    "team_memory_time": "no memory comes through git",
    "project_wins": "there are no personal memories",
}


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    remove_seams()


def solutions() -> dict[str, Any]:
    return {one.part: run_solution(one.name, one.solution) for one in all_exercises() if one.part}


def story() -> tuple[list[Any], dict[str, bytes], list[str]]:
    """Talk, and dream: what every model was sent, the memory after it, and all events."""

    async def scene() -> Lab:
        lab = begin(8)
        harness = harness_for(lab, "monday")
        for words in scripted_messages(lab):
            await harness.say(words)
            await harness.drain()
        title = Memory(
            "Boats: the list", "when a boat is lent", MemoryType.user, "Robin has a list of boats."
        )
        MemoryStore(lab.memory, clock=lab.clock).write(title, who="Robin")
        for _ in range(2):
            await dream_once(lab, harness)
        judge = tool_context(lab).judge
        assert judge
        lab.events.emit(NoticeFailed(reason=str(judge("ls -l | wc -l").allowed)))
        return lab

    lab = asyncio.run(scene())
    assert lab.model
    requests = [request.body for request in lab.model.requests]
    files = {
        path.relative_to(lab.memory).as_posix(): path.read_bytes()
        for path in sorted(lab.memory.rglob("*.md"))
    }
    return requests, files, [str(event) for event in lab.events]


@pytest.mark.slow
def test_the_story_is_the_same_with_every_solution_in_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = story()
    parts = {name: my.counted(name, part) for name, part in solutions().items()}
    monkeypatch.setattr(type(my), "install", lambda self, extra: install_seams(parts))
    my.load()
    theirs = story()
    assert len(ours[0]) == len(theirs[0]) > 10
    for mine, other in zip(ours[0], theirs[0], strict=True):
        assert mine == other
    assert ours[1:] == theirs[1:]
    counts = my.calls()
    called = {name for name, seam in SEAMS.items() if seam.places and counts[name]}
    assert {name for name, seam in SEAMS.items() if seam.places} - called == {*NOT_IN_THE_STORY}


def test_everything_is_as_before_once_the_parts_are_taken_out() -> None:
    from memlab.course.seams import _owner_of  # the names that are replaced

    def attributes() -> list[Any]:
        places = [_owner_of(place) for seam in SEAMS.values() for place in seam.places]
        return [vars(owner)[name] for owner, name in places]

    before = attributes()
    install_seams(solutions())
    assert not [one for one, other in zip(before, attributes(), strict=True) if one is other]
    install_seams({})
    assert [one is other for one, other in zip(before, attributes(), strict=True)] == [True] * len(
        before
    )


def test_memlabs_own_source_is_shown_with_every_part_in_the_machine() -> None:
    from memlab.recall import choose, named_in

    before = show_source(choose, named_in).markdown
    install_seams(solutions())
    from memlab.recall import choose, named_in

    assert choose.__module__ == "memlab.course.seams"
    assert show_source(choose, named_in).markdown == before
    remove_seams()
    from memlab.recall import choose

    assert choose.__module__ == "memlab.recall.selection"


def test_the_learners_terms_get_a_text_without_accents_and_become_stems() -> None:
    from memlab.recall import keyword

    asked = []

    def terms(text: str) -> list[str]:
        asked.append(text)
        return text.lower().split()

    install_seams({"terms": terms})
    assert keyword.terms_of("Prüfungen running") == ["prufungen", "run"]
    assert asked == ["Prufungen running"]


def test_the_stand_in_chooses_with_its_own_terms() -> None:
    def chosen() -> list[str]:
        lab = begin(4)
        install_seams(parts)
        report = asyncio.run(
            recall("the tests", lab.memory, lab.runtime, surfaced=Surfaced(), show=lab.show)
        )
        return [*report.attached_bytes]

    parts: dict[str, Any] = {}
    ours = chosen()
    parts["terms"] = lambda text: []
    assert chosen() == ours != []


def test_what_a_right_answer_may_raise_is_not_reported(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec("def read_choice(answer):\n    raise ValueError if answer else TypeError", names)
    part = my.counted("read_choice", names["read_choice"])
    for answer, kind in (("?", ValueError), ("", TypeError)):
        with pytest.raises(kind):
            part(answer)
    shown = capsys.readouterr().out
    assert "your read_choice raised TypeError" in shown
    assert "ValueError" not in shown


@pytest.mark.parametrize(
    "result",
    [ValueError("no colon"), None, {}, {"name": ["a"], "description": "", "type": ""}],
    ids=["an exception", "no dict", "an empty dict", "a list as the name"],
)
def test_a_file_at_which_the_learners_parse_header_fails_is_skipped_with_a_reason(
    result: Any, tmp_path: Path
) -> None:
    ours = SEAMS["parse_header"].ours
    assert ours

    def parse_header(text: str) -> Any:
        if "Tides" not in text:
            return ours(text)
        if isinstance(result, Exception):
            raise result
        return result

    for name in ("Tabs", "Tides"):
        (tmp_path / f"{name}.md").write_text(f"---\nname: {name}\n---\nBody\n", encoding="utf-8")
    install_seams({"parse_header": parse_header})
    scan = scan_memory_files(tmp_path)
    assert [header.name for header in scan] == ["Tabs"]
    ((file, reason),) = scan.skipped
    assert file == "Tides.md"
    assert reason.startswith("parse_header r")


def test_a_memory_is_saved_although_the_learners_format_header_fails(tmp_path: Path) -> None:
    def format_header(name: str, description: str, type: str) -> str:
        raise ValueError(name)

    install_seams({"format_header": format_header})
    store = MemoryStore(tmp_path)
    memory = Memory("Tides", "when the water leaves", MemoryType.user, "At noon.")
    assert store.write(memory, who="user").path.exists()
