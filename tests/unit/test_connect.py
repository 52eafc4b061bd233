"""The one way in: modes, keys, addresses, and an order that is the same every time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from memlab.clock import CourseClock
from memlab.errors import ModelError
from memlab.models import OfflineModel
from memlab.models.connect import choose_model, live_options, make_runtime, shown_address
from memlab.models.wire import Reply, say

ASK: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hello"}],
}


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_KEY", "AUTH_TOKEN", "BASE_URL"):
        monkeypatch.delenv(f"ANTHROPIC_{name}", raising=False)
    monkeypatch.delenv("MEMLAB_MODEL", raising=False)


def test_offline_needs_neither_key_nor_network() -> None:
    answer = asyncio.run(make_runtime().client.messages.create(**ASK))
    assert "nothing is saved" in answer.content[0].text


@pytest.mark.behaviour("M1")
@pytest.mark.parametrize(
    ("mode", "variable", "expected"),
    [
        ("", "", "offline"),
        ("", " Live ", "live"),
        ("offline", "live", "offline"),
        ("", "record", "record"),
        ("", "replay", "replay"),
    ],
)
def test_the_argument_wins_then_the_environment(
    mode: str, variable: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLAB_MODEL", variable)
    monkeypatch.setenv("MEMLAB_TAPE", "a.jsonl")
    assert choose_model(mode).mode == expected


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match="record needs the path of a tape"):
        choose_model("record")
    monkeypatch.setenv("MEMLAB_MODEL", "gpt")
    with pytest.raises(ModelError, match=r"MEMLAB_MODEL: .*'gpt'.*offline, live, record, replay"):
        make_runtime()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "ANTHROPIC_API_KEY: a live model needs a key"),
        ("https://models.example", "needs a key"),
        ("localhost:11434", "not an address"),
        ("http://", "not an address"),
        ("ftp://host", "not an address"),
    ],
)
def test_live_says_what_is_missing(url: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        live_options(url)


def test_a_server_on_this_machine_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for url in ("http://127.0.0.1:11434", "http://localhost:1234/v1/", "http://[::1]:8000"):
        assert live_options(url)["api_key"] == "local"
    assert live_options("http://localhost:1234/v1/")["base_url"] == "http://localhost:1234"
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert live_options()["api_key"] == "k"
    assert shown_address("http://me:secret@host:80/v") == "http://host:80/v"


def two_calls_at_once() -> list[tuple[float, str]]:
    clock, log = CourseClock(), []
    model = OfflineModel(clock=clock)
    model.roles["select"] = lambda request: Reply([say("none")])
    client = make_runtime(model=model).client
    start = clock.now()

    async def stream() -> None:
        async with client.messages.stream(**ASK) as answer:
            async for _ in answer.text_stream:
                log.append(((clock.now() - start).total_seconds(), "main"))

    async def side() -> None:
        await client.messages.create(**ASK, extra_headers={"X-Memlab-Purpose": "select"})
        log.append(((clock.now() - start).total_seconds(), "side"))

    async def both() -> None:
        await asyncio.gather(stream(), side())

    asyncio.run(both())
    return log


@pytest.mark.behaviour("O1")
def test_two_calls_overlap_in_the_same_order_every_time() -> None:
    runs = [two_calls_at_once() for _ in range(12)]
    assert all(run == runs[0] for run in runs)
    assert runs[0][0][1] == "side"
    assert runs[0][1][0] == pytest.approx(1.2 + 0.02 * 6)


def test_a_time_out_passes_on_the_course_clock() -> None:
    clock = CourseClock()
    model = OfflineModel(clock=clock)
    model.faults.add("timeout")
    start = clock.now()
    client = make_runtime(model=model).client.with_options(timeout=30)
    with pytest.raises(Exception, match="timed out"):
        asyncio.run(client.messages.create(**ASK))
    assert (clock.now() - start).total_seconds() == 30
    assert OfflineModel().latency == {}, "nothing waits for real time"
