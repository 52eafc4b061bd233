"""A request that is not on the tape ends the work at every level: nothing falls back, quietly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memlab.cli import chat, dream
from memlab.cli.commands import guarded
from memlab.errors import TapeMiss
from memlab.events import DreamFailed, ExtractionFailed
from memlab.harness import Harness
from memlab.memdir.toggles import Toggles
from memlab.models.connect import choose_model, make_runtime
from memlab.models.tape import Asked, Redactor, Tape
from tests.house import House, run


@pytest.fixture
def tape(house: House, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tape on which somebody once said hello, and what a command needs to replay it."""
    path = house.home / "first.jsonl"
    asked = Asked({"model": "m", "messages": [{"role": "user", "content": "hello"}]}, Redactor())
    said = {"model": "m", "content": [{"type": "text", "text": "Hello!"}], "usage": {}}
    found = {"key": asked.key, "repeat": 1, "purpose": "main", "request": asked.parts}
    Tape.begin(path, {"models": {}}).add(asked, {**found, "reply": said})
    monkeypatch.setenv("MEMLAB_MODEL", "replay")
    monkeypatch.setenv("MEMLAB_TAPE", str(path))
    monkeypatch.setenv("MEMLAB_HOME", str(house.base))
    return path


@pytest.mark.parametrize("purpose", ["select", "main", "extract", "dream"])
def test_no_fallback_answers_for_a_tape(house: House, tape: Path, purpose: str) -> None:
    house.fill(tabs="Robin indents with tabs.")
    replayed = make_runtime(choose_model("replay", tape=tape), clock=house.clock)
    harness = house.harness("one", toggles=Toggles(recall=purpose == "select"))

    async def work(harness: Harness) -> None:
        if purpose in ("extract", "dream"):  # what came before was answered
            await harness.say("How do I indent?")
            harness.extractor.runtime = harness.dreams.runtime = replayed
        else:
            harness = house.harness("two", runtime=replayed, toggles=harness.toggles)
            await harness.say("How do I indent?")
        if purpose == "dream":
            harness.extractor.host.toggles = Toggles(extraction=False)
            await harness.dream_now()
        await harness.drain()

    with pytest.raises(TapeMiss, match=rf"first\.jsonl: this request \({purpose}\)") as caught:
        run(work(harness))
    assert caught.value.purpose == purpose
    if purpose in ("extract", "dream"):
        failed = ExtractionFailed if purpose == "extract" else DreamFailed
        assert replayed.events.of(failed)
        assert harness.dreams.lock.last_consolidated_at() is None


@pytest.mark.parametrize(
    ("command", "arguments"), [(chat, ["--print", "hello"]), (dream, ["--yes"])]
)
def test_a_command_ends_with_the_miss(
    house: House, tape: Path, command: Any, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["--project", str(house.project), *arguments]
    assert guarded("chat", lambda: int(command.main(typed))) in (1, 2)
    said = capsys.readouterr().err
    assert "this request (" in said
    assert "MEMLAB_MODEL=record MEMLAB_TAPE=" in said
    assert "Traceback" not in said
