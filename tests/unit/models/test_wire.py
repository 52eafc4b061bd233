"""The real SDK against the offline model, in process and behind a port, and the ledger."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Iterator
from typing import Any

import anthropic
import pydantic
import pytest

from memlab.ledger import Ledger
from memlab.models import OfflineModel, Script, choose_model, make_runtime
from memlab.models.request import find_fault
from tests.model_server import ModelServer

ASK: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 400,
    "messages": [{"role": "user", "content": "Look at two files."}],
}
TWO_READS = {
    "say": "I will read both.",
    "tools": [
        {"name": "Read", "input": {"file_path": "~/tidebook/a.py", "note": "ünïcode"}},
        {"name": "Read", "input": {"file_path": "~/tidebook/b.py"}},
    ],
}
TURN = {"user": "Look at two files.", "steps": [TWO_READS, {"say": "Done."}]}


class Way:
    """A client of the offline model, and how it is asked."""

    def __init__(self, model: OfflineModel, server: ModelServer | None) -> None:
        self.model, self.ledger = model, Ledger()
        loop = asyncio.new_event_loop()
        self.run = loop.run_until_complete
        weakref.finalize(self, loop.close)
        choice = choose_model("live", base_url=server.url) if server else "offline"
        runtime = make_runtime(choice, model=None if server else model, ledger=self.ledger)
        self.client = runtime.client.with_options(max_retries=0, timeout=0.4)

    def create(self, **more: Any) -> Any:
        return self.run(self.client.messages.create(**{**ASK, **more}))

    def stream(self, **more: Any) -> tuple[list[str], Any]:
        async def run() -> tuple[list[str], Any]:
            async with self.client.messages.stream(**{**ASK, **more}) as stream:
                kinds = [event.type async for event in stream]
                return kinds, await stream.get_final_message()

        return self.run(run())


@pytest.fixture(params=["in process", "behind a port"])
def way(request: pytest.FixtureRequest) -> Iterator[Way]:
    story = Script.model_validate({"title": "two reads", "main": [TURN]})
    model = OfflineModel(scripts=[story])
    if request.param == "in process":
        yield Way(model, None)
        return
    server = ModelServer(model).start()
    yield Way(model, server)
    server.stop()


@pytest.mark.behaviour("M2")
def test_streaming_arrives_in_pieces_and_adds_up_to_the_same_message(way: Way) -> None:
    whole = way.create()
    kinds, streamed = way.stream()
    assert (kinds[0], kinds[-1]) == ("message_start", "message_stop")
    assert kinds.count("input_json") >= 2
    assert [block.to_dict() for block in streamed.content] == [
        block.to_dict() for block in whole.content
    ]
    assert streamed.usage.output_tokens == whole.usage.output_tokens > 1
    assert streamed.stop_reason == whole.stop_reason == "tool_use"
    calls = [block for block in whole.content if block.type == "tool_use"]
    assert calls[0].input == {"file_path": "~/tidebook/a.py", "note": "ünïcode"}
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "…"} for call in calls]
    turn = [
        *ASK["messages"],
        {"role": "assistant", "content": whole.content},
        {"role": "user", "content": results},
    ]
    assert way.create(messages=turn).content[0].text == "Done."


def test_an_answer_is_cut_at_max_tokens(way: Way) -> None:
    assert way.create(max_tokens=2).stop_reason == "max_tokens"


RAISED: dict[str, tuple[type[Exception], int | None]] = {
    "rate_limited": (anthropic.RateLimitError, 429),
    "overloaded": (anthropic.APIStatusError, 529),
    "server_error": (anthropic.InternalServerError, 500),
    "bad_request": (anthropic.BadRequestError, 400),
    "timeout": (anthropic.APITimeoutError, None),
    "connect_error": (anthropic.APIConnectionError, None),
}


@pytest.mark.behaviour("M2")
@pytest.mark.parametrize("fault", sorted(RAISED))
def test_a_call_that_fails_raises_the_sdks_own_error(fault: str, way: Way) -> None:
    way.model.faults.add(fault)
    kind, status = RAISED[fault]
    with pytest.raises(kind) as raised:
        way.create()
    assert getattr(raised.value, "status_code", None) == status
    assert way.create().stop_reason == "tool_use"


@pytest.mark.parametrize("fault", ["cut_stream", "stream_error"])
def test_a_stream_that_breaks_off_raises_in_its_middle(fault: str, way: Way) -> None:
    way.model.faults.add(fault)
    with pytest.raises(Exception, match=r"peer closed connection|overloaded"):
        way.stream()
    assert next(iter(way.ledger)).status != "ok"


class Pages(pydantic.BaseModel):
    title: str
    pages: int


@pytest.mark.parametrize("fault", ["refusal", "truncated", "bad_json"])
def test_an_answer_can_be_well_formed_and_of_no_use(fault: str, way: Way) -> None:
    way.model.faults.add(fault)
    if fault == "refusal":
        answer = way.create()
        assert (answer.stop_reason, answer.content) == ("refusal", [])
        return
    with pytest.raises(pydantic.ValidationError):
        way.run(way.client.messages.parse(**ASK, output_format=Pages))


def test_a_fault_for_one_purpose_spares_the_others_and_is_used_up() -> None:
    way = Way(OfflineModel(), None)
    way.model.faults.add("overloaded", purpose="fork", times=2)
    way.create()
    for _ in range(2):
        with pytest.raises(anthropic.APIStatusError):
            way.create(extra_headers={"X-Memlab-Purpose": "fork"})
    way.create(extra_headers={"X-Memlab-Purpose": "fork"})
    assert [one.fault for one in way.model.requests] == ["", "overloaded", "overloaded", ""]


CALLS = [{"type": "tool_use", "id": name, "name": "Read", "input": {}} for name in ("t1", "t2")]
ONE, TWO = ({"type": "tool_result", "tool_use_id": name, "content": "1"} for name in ("t1", "t2"))
TEXT = {"type": "text", "text": "And?"}
MISSING = "messages.2: tool_use ids were found without tool_result blocks immediately after: "


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ([ONE, TWO], ""),
        ([TWO, ONE], ""),
        ([ONE, TWO, TEXT], ""),
        ([TEXT, ONE, TWO], MISSING + "t1, t2"),
        ([ONE, TEXT, TWO], MISSING + "t2"),
        ([ONE], MISSING + "t2"),
        ("And?", MISSING + "t1, t2"),
    ],
)
def test_all_results_come_first_in_the_next_message(content: Any, fault: str) -> None:
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": CALLS},
        {"role": "user", "content": content},
    ]
    assert find_fault({"model": "m", "max_tokens": 1, "messages": messages}) == fault


def user(content: Any, role: str = "user") -> dict[str, Any]:
    return {"messages": [{"role": role, "content": content}]}


MARKED = {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (user("hi", "assistant"), "first message must use the user"),
        (user(""), "not be empty"),
        (user([{"type": "text", "text": " "}]), "not be empty"),
        (user([ONE]), "unexpected tool_use_id"),
        ({"system": [MARKED] * 5}, "at most 4"),
    ],
)
def test_a_malformed_request_is_refused_as_the_service_would(
    change: dict[str, Any], message: str
) -> None:
    with pytest.raises(anthropic.BadRequestError, match=message):
        Way(OfflineModel(), None).create(**change)


@pytest.mark.behaviour("M4")
def test_the_ledger_sees_every_call_and_its_fate(way: Way) -> None:
    whole = way.create()
    way.stream(extra_headers={"X-Memlab-Purpose": "fork"})
    for fault in ("overloaded", "stream_error", "connect_error", "timeout"):
        way.model.faults.add(fault)
        with pytest.raises(anthropic.APIError):
            way.stream()
    calls = list(way.ledger)
    assert [(call.purpose, call.status) for call in calls[:4]] == [
        ("main", "ok"),
        ("fork", "ok"),
        ("main", "529"),
        ("main", "overloaded_error"),
    ]
    assert len(calls) == 6
    assert "ok" not in [call.status for call in calls[4:]]
    assert calls[0].output == whole.usage.output_tokens == calls[1].output
    assert calls[0].uncached == whole.usage.input_tokens
    assert calls[0].model == "claude-opus-5-5"
