"""The one way in: modes, keys, addresses; a request that no tape answers ends the work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memlab.errors import ModelError, TapeMiss
from memlab.memdir.toggles import Toggles
from memlab.models.connect import choose_model, live_options, make_runtime
from memlab.models.tape import Tape
from tests.house import House, run


@pytest.fixture
def tape(house: House) -> Path:
    path = house.home / "first.jsonl"
    path.write_text(json.dumps(Tape(path).header) + "\n")
    return path


@pytest.mark.behaviour("M1")
def test_the_argument_wins_then_the_environment(monkeypatch: Any) -> None:
    monkeypatch.setenv("MEMLAB_TAPE", "a.jsonl")
    for variable, mode in (("", "offline"), (" Live ", "live"), ("replay", "replay")):
        monkeypatch.setenv("MEMLAB_MODEL", variable)
        chosen = choose_model().mode, choose_model("offline").mode
        assert chosen == (mode, "offline")
    monkeypatch.delenv("MEMLAB_TAPE")
    for mode, told in (("record", "path of a tape"), ("gpt", "'gpt'")):
        with pytest.raises(ModelError, match=told):
            choose_model(mode)


def test_only_a_server_on_this_machine_needs_no_key(monkeypatch: Any) -> None:
    for name in ("API_KEY", "AUTH_TOKEN", "BASE_URL"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)
    for host in ("127.0.0.1:11434", "localhost:1234/v1/", "[::1]:8000"):
        url = f"http://{host}"
        assert live_options(url)["base_url"] == url.removesuffix("/v1/")
    for bad in ("", "https://models.example", "localhost:1", "http://", "ftp://host"):
        with pytest.raises(ModelError):
            live_options(bad)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert live_options()["api_key"] == "k"


@pytest.mark.parametrize("purpose", ["select", "main", "extract", "dream"])
def test_no_fallback_answers_for_a_tape(house: House, tape: Path, purpose: str) -> None:
    house.fill(tabs="Robin indents with tabs.")
    replayed = make_runtime(choose_model("replay", tape=tape), clock=house.clock)
    toggles = Toggles(recall=purpose == "select", extraction=purpose != "dream")
    is_late = purpose in ("extract", "dream")  # what came before was answered
    runtime = house.runtime() if is_late else replayed
    harness = house.harness("one", runtime=runtime, toggles=toggles)
    harness.extractor.runtime = harness.dreams.runtime = replayed

    async def work() -> None:
        await harness.say("How do I indent?")
        if purpose == "dream":
            await harness.dream_now()
        await harness.drain()

    with pytest.raises(TapeMiss, match=rf"first\.jsonl: this request \({purpose}\)"):
        run(work())
    assert harness.dreams.lock.last_consolidated_at() is None
