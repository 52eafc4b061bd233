"""A run that fails or is cut off at any point: files and cursor agree, the next turn picks up."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from memlab.extract import Extraction, Extractor
from memlab.memdir.store import MemoryStore
from memlab.models.request import ModelRequest
from memlab.models.wire import Reply
from tests.unit.agent.helpers import run
from tests.unit.extract.helpers import TABS, Call, ExtractSetup, Host, Talk, note, reading, writing

SUNDAYS = note("I row on Sundays.", name="rowing", about="They row on Sundays")
# A file that is not there yet cannot be read; one that a run before has left has to be.
RUN: Sequence[str | Sequence[Call]] = [
    [reading("tabs.md"), reading("rowing.md")],
    [writing(TABS, "tabs.md"), writing(SUNDAYS, "rowing.md")],
    "Saved two.",
]
WORDS = "I want tabs, never spaces. I row on Sundays."
FAULTS = (
    "rate_limited",
    "overloaded",
    "server_error",
    "bad_request",
    "timeout",
    "connect_error",
    "cut_stream",
    "stream_error",
    "refusal",
    "truncated",
)


def check_files(setup: ExtractSetup) -> list[str]:
    """Whatever is there is whole, in the index and in the journal; gives the names."""
    store = MemoryStore(setup.memory, clock=setup.clock)  # settles what was interrupted
    names = sorted(path.name for path in setup.memory.glob("*.md") if path.name != "MEMORY.md")
    whole = {"tabs.md": TABS, "rowing.md": SUNDAYS}
    for name in names:
        assert (setup.memory / name).read_text() == whole[name]
        assert f"({name})" in (setup.memory / "MEMORY.md").read_text()
        assert [entry.who for entry in store.history(name)] == ["extractor"]
    assert list(setup.memory.rglob("*.tmp")) == []
    return names


def pick_up(setup: ExtractSetup, talk: Talk, extractor: Extractor) -> None:
    """The next turn brings what is missing, once, and the cursor past everything."""
    run(lambda: extractor(talk.turn("What time is it?", "Nine.")))
    assert extractor.cursor == talk.uuids[-1]
    assert len(setup.new()) == 4
    assert check_files(setup) == ["rowing.md", "tabs.md"]


@pytest.mark.behaviour("I8")
@pytest.mark.parametrize(
    ("fault", "call"),
    [
        pytest.param(fault, call, marks=() if number % 3 + 1 == call else pytest.mark.slow)
        for number, fault in enumerate(FAULTS)
        for call in (1, 2, 3)
    ],
)
def test_a_call_fails(fault: str, call: int, setup: ExtractSetup) -> None:
    def answer(request: ModelRequest) -> Reply:
        if len(setup.sent("extract")) == call - 2:
            setup.model.faults.add(fault, purpose="extract")
        return setup.answer(request)

    setup.model.roles["extract"] = answer
    setup.script = RUN
    if call == 1:
        setup.model.faults.add(fault, purpose="extract")
    talk, extractor = Talk(setup), setup.extractor()
    run(lambda: extractor(talk.turn(WORDS)))
    assert len(setup.sent("extract")) == call
    assert setup.log()[0] == "extract_started"
    assert setup.log()[1].startswith("extract_failed ")
    assert len(setup.log()[1]) > len("extract_failed a few words")
    assert extractor.cursor == ""
    assert check_files(setup) == (["rowing.md", "tabs.md"] if call == 3 else [])
    assert [(*one.files,) for one in setup.saved] == [("tabs.md", "rowing.md")] * (call == 3)
    pick_up(setup, talk, extractor)


def test_the_turn_limit(setup: ExtractSetup) -> None:
    setup.script = [[reading()]] * 5
    talk, extractor = Talk(setup), setup.extractor()
    run(lambda: extractor(talk.turn(WORDS)))
    assert extractor.cursor == ""
    setup.script = RUN
    pick_up(setup, talk, extractor)


def test_the_disk_is_full(setup: ExtractSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: Any, **more: Any) -> None:
        raise OSError(28, "No space left on device")

    setup.script = RUN
    talk, extractor = Talk(setup), setup.extractor()
    with monkeypatch.context() as patch:
        patch.setattr("memlab.memdir.folder.Folder.create", full)
        run(lambda: extractor(talk.turn(WORDS)))
        assert all(one.startswith("× ") for one in setup.results())
    assert check_files(setup) == []


def test_the_memory_cannot_be_opened(setup: ExtractSetup) -> None:
    journal = setup.memory / ".memlab" / "journal.jsonl"
    journal.parent.mkdir(parents=True)
    journal.write_text("broken\nbroken\n")
    talk, extractor = Talk(setup), setup.extractor()
    run(lambda: extractor(talk.turn(WORDS)))
    assert setup.log()[-1].startswith("extract_failed StoreError: ")
    assert str(setup.home) not in setup.log()[-1]
    journal.unlink()
    setup.script = RUN
    pick_up(setup, talk, extractor)


@pytest.mark.parametrize("part", ["project_instructions", "enabled", "time_of", "withheld"])
def test_what_is_handed_in_fails(setup: ExtractSetup, part: str) -> None:
    def broken(*given: object) -> Any:
        raise RuntimeError("broken")

    host = Host(setup.saved)
    setattr(host, part, broken)
    talk, extractor = Talk(setup), setup.extractor(host=host)
    run(lambda: extractor(talk.turn(WORDS)))
    assert setup.log()[-1] == "extract_failed RuntimeError: broken"
    assert extractor.cursor == ""
    assert not extractor.running


def test_a_notice_that_fails_costs_no_second_run(setup: ExtractSetup) -> None:
    class Broken(Host):
        def on_end(self, run: Extraction) -> None:
            raise RuntimeError("broken")

    setup.script = RUN
    talk, extractor = Talk(setup), setup.extractor(host=Broken())
    run(lambda: extractor(talk.turn(WORDS)))
    assert extractor.cursor == talk.uuids[-1]
    assert "extracted tabs.md, rowing.md" in setup.log()


def cut_off(setup: ExtractSetup, step: int) -> tuple[Talk, Extractor, bool]:
    """Cancel a run after so many steps of the loop; tells whether it had ended before."""
    setup.script = RUN
    talk, extractor = Talk(setup), setup.extractor()

    async def work() -> bool:
        task = asyncio.create_task(extractor(talk.turn(WORDS)))
        for _ in range(step):
            await asyncio.sleep(0)
            if task.done():
                return True
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        return False

    return talk, extractor, run(work)


def cut_off_everywhere(home: Path, stride: int) -> set[str]:
    seen: set[str] = set()
    step, ended = 0, False
    while not ended:
        setup = ExtractSetup(home / str(step))
        setup.model.roles["extract"] = setup.answer
        talk, extractor, ended = cut_off(setup, step)
        names = check_files(setup)
        seen.add(",".join(names))
        assert not extractor.running
        if ended:
            assert extractor.cursor == talk.uuids[-1]
        else:
            assert extractor.cursor == ""
            assert step == 0 or setup.log()[-1] == "extract_failed It was cut off."
            pick_up(setup, talk, extractor)
        step += stride
    return seen


@pytest.mark.behaviour("I8")
@pytest.mark.soak
def test_cut_off_at_any_step(tmp_path: Path) -> None:
    seen = cut_off_everywhere(tmp_path, 5)
    assert {"", "rowing.md,tabs.md"} <= seen


def test_cut_off_at_many_steps(tmp_path: Path) -> None:
    seen = cut_off_everywhere(tmp_path, 97)
    assert {"", "rowing.md,tabs.md"} <= seen


def test_cut_off_between_two_writes(setup: ExtractSetup) -> None:
    setup.script = RUN
    talk, extractor = Talk(setup), setup.extractor()

    async def work() -> None:
        task = asyncio.create_task(extractor(talk.turn(WORDS)))
        while not (setup.memory / "tabs.md").exists():
            await asyncio.sleep(0)
            assert not task.done()
        task.cancel()
        await asyncio.wait([task])

    run(work)
    assert check_files(setup) == ["tabs.md"]
    assert extractor.cursor == ""
    pick_up(setup, talk, extractor)
