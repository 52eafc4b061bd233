"""The one way in: modes, keys, addresses, and an order that is the same every time."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import memlab
from memlab.clock import CourseClock
from memlab.errors import ModelError
from memlab.ledger import Ledger
from memlab.models import OfflineModel
from memlab.models.connect import chosen_mode, connect, connect_sync, live_options
from memlab.models.wire import Reply, say

ASK: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "hello"}],
}


def test_offline_needs_neither_key_nor_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "MEMLAB_MODEL"):
        monkeypatch.delenv(name, raising=False)
    assert "Hello!" in connect_sync().messages.create(**ASK).content[0].text  # type: ignore[union-attr]


def test_the_package_gives_the_function() -> None:
    assert memlab.connect is connect


@pytest.mark.behaviour("M1")
@pytest.mark.parametrize(
    ("mode", "environ", "expected"),
    [
        (None, {}, "offline"),
        (None, {"MEMLAB_MODEL": " Live "}, "live"),
        ("offline", {"MEMLAB_MODEL": "live"}, "offline"),
        (None, {"MEMLAB_MODEL": "record"}, "record"),
        (None, {"MEMLAB_MODEL": "replay"}, "replay"),
    ],
)
def test_the_argument_wins_then_the_environment(
    mode: str | None, environ: dict[str, str], expected: str
) -> None:
    assert chosen_mode(mode, environ) == expected


def test_an_unknown_mode_names_its_place_and_the_choice() -> None:
    with pytest.raises(ModelError, match=r"MEMLAB_MODEL: .*'gpt'.*offline, live, record, replay"):
        connect(environ={"MEMLAB_MODEL": "gpt"})


@pytest.mark.parametrize(
    ("url", "key", "message"),
    [
        (None, None, "ANTHROPIC_API_KEY: a live model needs a key"),
        ("https://models.example", "", "needs a key"),
        ("localhost:11434", "k", "not an address"),
        ("http://", "k", "not an address"),
        ("ftp://host", "k", "not an address"),
    ],
)
def test_live_says_what_is_missing(url: str | None, key: str | None, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        live_options(url, key, {})


def test_a_server_on_this_machine_needs_no_key() -> None:
    assert live_options("http://127.0.0.1:11434", None, {})["base_url"] == "http://127.0.0.1:11434"
    assert live_options(None, None, {"ANTHROPIC_API_KEY": "k"}) == {"api_key": "k"}


def two_calls_at_once() -> list[tuple[float, str]]:
    clock, log = CourseClock(), []
    model = OfflineModel(clock=clock)
    model.roles["select"] = lambda request: Reply([say("none")])
    client = connect(model=model)
    start = clock.now()

    async def stream() -> None:
        async with client.messages.stream(**ASK) as answer:
            async for _ in answer.text_stream:
                log.append(((clock.now() - start).total_seconds(), "main"))

    async def side() -> None:
        await client.messages.create(**ASK, extra_headers={"X-Memlab-Purpose": "select"})
        log.append(((clock.now() - start).total_seconds(), "side"))

    async def run() -> None:
        await asyncio.gather(stream(), side())

    asyncio.run(run())
    return log


@pytest.mark.behaviour("O1")
def test_two_calls_overlap_in_the_same_order_every_time() -> None:
    runs = [two_calls_at_once() for _ in range(12)]
    assert all(run == runs[0] for run in runs)
    assert runs[0][0][1] == "side"
    assert runs[0][1][0] == pytest.approx(1.2 + 0.02 * 6)


def test_the_first_call_hops_to_no_thread() -> None:
    client = connect(model=OfflineModel(clock=CourseClock()))

    async def call() -> int:
        before = threading.active_count()
        await client.messages.create(**ASK)
        return threading.active_count() - before

    assert asyncio.run(call()) == 0


def test_a_sync_call_moves_the_course_clock_and_a_real_one_is_not_kept_waiting() -> None:
    clock, ledger = CourseClock(), Ledger()
    connect_sync(model=OfflineModel(clock=clock), ledger=ledger).messages.create(**ASK)
    (call,) = ledger
    assert call.seconds == pytest.approx(1.2 + 0.02 * call.output)
    assert OfflineModel().latency == {}


def test_a_time_out_passes_on_the_course_clock() -> None:
    clock = CourseClock()
    model = OfflineModel(clock=clock)
    model.faults.add("timeout")
    start = clock.now()
    with pytest.raises(Exception, match="timed out"):
        asyncio.run(connect(model=model).with_options(timeout=30).messages.create(**ASK))
    assert (clock.now() - start).total_seconds() == 30
