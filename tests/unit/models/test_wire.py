"""The real SDK against the offline model, in process and behind a port; errors, ledger, prices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import anthropic
import httpx2
import pydantic
import pytest

from memlab.clock import STORY_START
from memlab.ledger import Call, Ledger
from memlab.models import OfflineModel, Script, choose_model, make_runtime
from memlab.models.meter import price_table
from memlab.models.request import find_fault
from memlab.settings import Settings
from tests.house import House, run, talk
from tests.model_server import ModelServer

ASK: dict[str, Any] = {"model": "claude-opus-5-5", "max_tokens": 400}
ASK["messages"] = [{"role": "user", "content": "Look at two files."}]
READ = {"file_path": "~/tidebook/a.py", "note": "ünïcode"}
TWO = {"say": "I read both.", "tools": [{"name": "Read", "input": READ}] * 2}
TURN = {"user": "Look at two files.", "steps": [TWO, {"say": "Done."}]}


class Way:
    """A client of the offline model, and how it is asked."""

    def __init__(self, model: OfflineModel, server: ModelServer | None = None) -> None:
        self.model, self.ledger = model, Ledger()
        choice = choose_model("live", base_url=server.url) if server else "offline"
        self.choice, self.given = choice, None if server else model

    def ask(self, stream: bool = False, **more: Any) -> Any:
        async def asked() -> Any:
            runtime = make_runtime(self.choice, model=self.given, ledger=self.ledger)
            client = runtime.client.with_options(max_retries=0, timeout=0.4)
            form = more.pop("output_format", None)
            if form:
                return await client.messages.parse(**ASK, output_format=form)
            if not stream:
                return await client.messages.create(**ASK | more)
            async with client.messages.stream(**ASK | more) as events:
                kinds = [event.type async for event in events]
                return kinds, await events.get_final_message()

        return run(asked())


def dialogue(*turns: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"role": role, "content": content} for role, content in turns]


@pytest.fixture(params=["in process", "behind a port"])
def way(request: pytest.FixtureRequest) -> Iterator[Way]:
    story = Script.model_validate({"title": "two reads", "main": [TURN]})
    model = OfflineModel(scripts=[story])
    server = ModelServer(model).start()
    yield Way(model, server if request.param == "behind a port" else None)
    server.stop()


@pytest.mark.behaviour("M2")
def test_streaming_arrives_in_pieces_and_adds_up_to_the_same_message(way: Way) -> None:
    whole, (kinds, streamed) = way.ask(), way.ask(stream=True)
    assert (kinds[0], kinds[-1]) == ("message_start", "message_stop")
    assert kinds.count("input_json") >= 4
    assert streamed.to_dict()["content"] == whole.to_dict()["content"]
    assert streamed.usage.output_tokens == whole.usage.output_tokens > 1
    assert streamed.stop_reason == whole.stop_reason == "tool_use"
    calls = [block for block in whole.content if block.type == "tool_use"]
    assert calls[0].input == READ
    result = {"type": "tool_result", "content": "…"}
    done = [result | {"tool_use_id": call.id} for call in calls]
    turns = [("user", ASK["messages"][0]["content"]), ("assistant", whole.content)]
    assert way.ask(messages=dialogue(*turns, ("user", done))).content[0].text == "Done."
    assert way.ask(max_tokens=2).stop_reason == "max_tokens"


@pytest.mark.behaviour("M2", "M4")
@pytest.mark.parametrize(
    ("fault", "kind", "status"),
    [
        ("rate_limited", anthropic.RateLimitError, "429"),
        ("overloaded", anthropic.APIStatusError, "529"),
        ("server_error", anthropic.InternalServerError, "500"),
        ("bad_request", anthropic.BadRequestError, "400"),
        ("timeout", anthropic.APITimeoutError, ""),
        ("connect_error", anthropic.APIConnectionError, ""),
        ("stream_error", anthropic.APIStatusError, "overloaded_error"),
        ("cut_stream", httpx2.RemoteProtocolError, "RemoteProtocolError"),
    ],
)
def test_a_call_that_fails_raises_the_sdks_own_error_and_is_in_the_ledger(
    way: Way, fault: str, kind: type[Exception], status: str
) -> None:
    way.model.faults.add(fault, purpose="fork")
    whole = way.ask()
    with pytest.raises(kind):
        way.ask(stream=True, extra_headers={"X-Memlab-Purpose": "fork"})
    way.ask(extra_headers={"X-Memlab-Purpose": "fork"})
    first, failed, last = way.ledger
    assert (first.purpose, first.status, failed.purpose, last.status) == (
        "main",
        "ok",
        "fork",
        "ok",
    )
    assert failed.status == status or (not status and failed.status != "ok")
    used = whole.usage
    assert (first.output, first.uncached) == (used.output_tokens, used.input_tokens)
    assert first.model == "claude-opus-5-5"


class Pages(pydantic.BaseModel):
    title: str


def test_an_answer_can_be_well_formed_and_of_no_use() -> None:
    way = Way(OfflineModel())
    for fault in ("truncated", "bad_json"):
        way.model.faults.add(fault)
        with pytest.raises(pydantic.ValidationError):
            way.ask(output_format=Pages)
    way.model.faults.add("refusal")
    assert (way.ask().stop_reason, way.ask().stop_reason) == ("refusal", "end_turn")


CALL = {"type": "tool_use", "name": "Read", "input": {}}
T1, T2 = ({"type": "tool_result", "tool_use_id": id, "content": ""} for id in ("t1", "t2"))
TEXT = {"type": "text", "text": "And?"}
MARKED = TEXT | {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("content", "ids"),
    [
        ([T2, T1, TEXT], ""),
        ([TEXT, T1, T2], "t1, t2"),
        ([T1, TEXT, T2], "t2"),
        ([T1], "t2"),
        ("And?", "t1, t2"),
    ],
)
def test_all_results_come_first_in_the_next_message(content: Any, ids: str) -> None:
    calls = [CALL | {"id": "t1"}, CALL | {"id": "t2"}]
    messages = dialogue(("user", "Look."), ("assistant", calls), ("user", content))
    assert find_fault(ASK | {"messages": messages}).rpartition(": ")[2] == ids


@pytest.mark.parametrize(
    ("role", "content", "message"),
    [
        ("assistant", "hi", "first message must use the user"),
        ("user", "", "not be empty"),
        ("user", [{"type": "text", "text": " "}], "not be empty"),
        ("user", [T1], "unexpected tool_use_id"),
        ("user", [MARKED] * 5, "at most 4"),
    ],
)
def test_a_malformed_request_is_refused_as_the_service_would(
    role: str, content: Any, message: str
) -> None:
    with pytest.raises(anthropic.BadRequestError, match=message):
        Way(OfflineModel()).ask(messages=dialogue((role, content)))


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, '{"error": {"type": "authentication_error"}}', "accept the key"),
        (404, '{"error": {"type": "not_found", "message": "model: m"}}', "model: m"),
        (404, "<html><title>Nothing here</title></html>", "Nothing here"),
        (429, '{"error": {"type": "rate_limit_error"}}', "Too many requests"),
        (500, '{"error": "out of memory"}', "(500): out of memory"),
        (400, '{"detail": "prompt is too long: 9 > 8"}', "too long"),
        (0, "", "ANTHROPIC_BASE_URL"),
        (200, '{"hello": 1}', "cannot be read"),
        (200, "<html>busy</html>", "cannot be read"),
        (200, 'event: message_start\ndata: {"type": "mess', "cannot be read"),
    ],
)
def test_the_person_is_told_what_a_live_server_refused(
    house: House, monkeypatch: pytest.MonkeyPatch, status: int, body: str, said: str
) -> None:
    kind = "text/event-stream" if body.startswith("event") else "application/json"
    kinds = {"content-type": "text/html" if "<" in body else kind}
    server = ModelServer(house.model).start()
    client = make_runtime(choose_model("live", base_url=server.url)).client
    live = house.runtime(client=client.with_options(max_retries=0))
    harness = house.harness(runtime=live)
    sent = lambda *_: httpx2.Response(status, text=body, headers=kinds)  # noqa: E731
    monkeypatch.setattr(house.model, "respond", sent)
    if not status:
        server.stop()
    [told] = talk(harness, "I prefer tabs.")
    if status:
        server.stop()

    assert said in told.error
    assert ("\n" in told.error, len(told.error) < 400) == (False, True)
    assert house.files() == {}


def test_a_known_model_has_a_price_and_a_replay_costs_nothing() -> None:
    tokens = {"uncached": 1_000, "created": 2_000, "read": 10_000, "output": 100}
    then = {"started": STORY_START, "ended": STORY_START}
    call = Call(purpose="main", model="", **then, **tokens)  # type: ignore[arg-type]
    for model, dollars in {
        "claude-opus-5-5": 0.018,  # $4, $5, $0.20 and $20 per million
        "claude-opus-5-5-20260901": 0.018,
        "claude-next-1": None,
    }.items():
        found = price_table().dollars([replace(call, model=model)])
        assert found == (dollars and pytest.approx(dollars))
    assert price_table().dollars([replace(call, replayed=True)]) == 0
    assert {Settings().main_model, Settings().select_model} <= {*price_table().models}
