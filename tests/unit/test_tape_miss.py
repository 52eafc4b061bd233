"""A request that is not on the tape ends the work at every level: nothing falls back, quietly."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from memlab.agent.background import Background
from memlab.agent.request import RequestPrefix
from memlab.cli import chat as chat_command
from memlab.cli import dream as dream_command
from memlab.cli.commands import guarded
from memlab.clock import CourseClock
from memlab.errors import TapeMiss
from memlab.events import DreamFailed, ExtractionFailed
from memlab.extract import Extractor
from memlab.models import OfflineModel
from memlab.models.connect import choose_model, make_runtime
from memlab.models.tape import Asked, Redactor, Tape
from memlab.recall.prefetch import Prefetch
from memlab.recall.selection import select_relevant_memories
from memlab.runtime import Runtime
from tests.model_server import ModelServer
from tests.unit.agent.helpers import AgentSetup, run
from tests.unit.dream.helpers import dream_setup
from tests.unit.extract.helpers import ExtractSetup, Talk
from tests.unit.recall.helpers import header

Work = Callable[[], Coroutine[Any, Any, Any]]


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """A tape on which somebody once said hello."""
    path = tmp_path / "first.jsonl"
    asked = Asked({"model": "m", "messages": [{"role": "user", "content": "hello"}]}, Redactor())
    said = {"model": "m", "content": [{"type": "text", "text": "Hello!"}], "usage": {}}
    found = {"key": asked.key, "repeat": 1, "purpose": "main", "request": asked.parts}
    tape = Tape.begin(path, {"models": {}})
    tape.add(asked, {**found, "reply": said})
    return path


@pytest.fixture
def runtime(tape: Path) -> Runtime:
    clock = CourseClock()
    return make_runtime(choose_model("replay", tape=tape), clock=clock)


async def recalled(runtime: Runtime) -> tuple[str, ...]:
    memories = [header("tabs.md", "indentation is by tabs")]
    selection = await select_relevant_memories("How do I indent?", memories, runtime)
    return tuple(memory.filename for memory in selection.chosen)


def selecting(runtime: Runtime, tmp_path: Path) -> Work:
    return lambda: recalled(runtime)


def prefetching(runtime: Runtime, tmp_path: Path) -> Work:
    async def work() -> None:
        prefetch = Prefetch(lambda query, tools: recalled(runtime), runtime)
        prefetch.start("How do I indent?")
        await prefetch.wait()

    return work


def talking(runtime: Runtime, tmp_path: Path) -> Work:
    setup = AgentSetup(tmp_path / "home", clock=runtime.clock)  # type: ignore[arg-type]
    agent = setup.agent(runtime=runtime)
    return lambda: agent.run_turn("How do I indent?")


def extractor_of(runtime: Runtime, tmp_path: Path) -> tuple[Extractor, RequestPrefix]:
    setup = ExtractSetup(tmp_path / "home", clock=runtime.clock)  # type: ignore[arg-type]
    extractor = setup.extractor()
    extractor.runtime = runtime
    return extractor, Talk(setup).turn()


def extracting(runtime: Runtime, tmp_path: Path) -> Work:
    extractor, prefix = extractor_of(runtime, tmp_path)
    return lambda: extractor(prefix)


def extracting_behind_a_turn(runtime: Runtime, tmp_path: Path) -> Work:
    extractor, prefix = extractor_of(runtime, tmp_path)

    async def work() -> None:
        background = Background(runtime)
        background.start(extractor, prefix)
        await background.drain(60)

    return work


def dreaming(runtime: Runtime, tmp_path: Path) -> Work:
    async def work() -> None:
        with dream_setup() as setup:
            dream = setup.dream(runtime=runtime.with_changes(clock=setup.clock))
            try:
                await dream.run(setup.prefix())
            finally:
                assert setup.lock().last_consolidated_at() is None

    return work


@pytest.mark.parametrize(
    ("level", "purpose"),
    [
        (selecting, "select"),
        (prefetching, "select"),
        (talking, "main"),
        (extracting, "extract"),
        (extracting_behind_a_turn, "extract"),
        (dreaming, "dream"),
    ],
)
def test_no_fallback_answers_for_a_tape(
    level: Callable[[Runtime, Path], Work], purpose: str, runtime: Runtime, tmp_path: Path
) -> None:
    with pytest.raises(TapeMiss, match=rf"first\.jsonl: this request \({purpose}\)") as caught:
        run(level(runtime, tmp_path))
    assert caught.value.purpose == purpose
    if purpose == "extract":
        assert len(runtime.events.of(ExtractionFailed)) == 1
    if purpose == "dream":
        assert len(runtime.events.of(DreamFailed)) == 1


@pytest.mark.parametrize(
    ("command", "arguments"),
    [(chat_command, ["--print", "hello"]), (dream_command, ["--yes"])],
)
def test_a_command_ends_with_the_miss(
    command: Any,
    arguments: list[str],
    tape: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MEMLAB_MODEL", "replay")
    monkeypatch.setenv("MEMLAB_TAPE", str(tape))
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / ".memlab"))
    project = tmp_path / "project"
    project.mkdir()
    typed = ["--project", str(project), *arguments]
    assert guarded("chat", lambda: int(command.main(typed))) in (1, 2)
    said = capsys.readouterr().err
    assert "this request (" in said
    assert "MEMLAB_MODEL=record MEMLAB_TAPE=" in said
    assert "Traceback" not in said


def test_a_tape_of_the_conversation_is_labelled_in_the_chat(
    tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMLAB_HOME", str(tmp_path / ".memlab"))
    project = tmp_path / "project"
    project.mkdir()
    mine = tmp_path / "mine.jsonl"
    server = ModelServer(OfflineModel()).start()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("MEMLAB_TAPE", str(mine))
    for mode in ("record", "replay"):
        monkeypatch.setenv("MEMLAB_MODEL", mode)
        if mode == "replay":
            server.stop()
        arguments = ["--project", str(project), "--memory", "off", "--print", "hello"]
        assert chat_command.main(arguments) == 0
        said = capsys.readouterr()
        assert said.out
        assert "(claude-opus-5-5, recorded 20" in said.err
