"""The real SDK against the offline model, in process and behind a port; errors, ledger, prices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import anthropic
import httpx2
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
LOOK = {"role": "user", "content": "Look at two files."}
READ = {"file_path": "~/tidebook/a.py", "note": "ünïcode"}
TWO = {"say": "I read both.", "tools": [{"name": "Read", "input": READ}] * 2}
TURN = {"user": "Look at two files.", "steps": [TWO, {"say": "Done."}]}
PURPOSE = {"extra_headers": {"X-Memlab-Purpose": "fork"}}


class Way:
    """A client of the offline model, and how it is asked."""

    def __init__(self, port: bool) -> None:
        self.ledger = Ledger()
        story = Script.model_validate({"title": "two reads", "main": [TURN]})
        self.model = OfflineModel(scripts=[story])
        self.server = ModelServer(self.model).start() if port else None

    def ask(self, *messages: Any, stream: bool = False, **more: Any) -> Any:
        async def asked() -> Any:
            url = self.server and self.server.url
            choice = choose_model("live", base_url=url) if url else "offline"
            given = {} if url else {"model": self.model}
            runtime = make_runtime(choice, ledger=self.ledger, **given)
            client = runtime.client.with_options(max_retries=0, timeout=0.4).messages
            body = ASK | {"messages": [LOOK, *messages]} | more
            if not stream:
                return await client.create(**body)
            async with client.stream(**body) as events:
                kinds = [event.type async for event in events]
                return kinds, await events.get_final_message()

        return run(asked())


@pytest.fixture(params=[False, True], ids=["in process", "behind a port"])
def way(request: pytest.FixtureRequest) -> Iterator[Way]:
    way = Way(request.param)
    yield way
    if way.server:
        way.server.stop()


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
    done = [T1 | {"tool_use_id": one.id} for one in calls]
    turns = [{"role": "assistant", "content": whole.content}, {"role": "user", "content": done}]
    assert way.ask(*turns).content[0].text == "Done."
    assert way.ask(max_tokens=2).stop_reason == "max_tokens"


@pytest.mark.behaviour("M2", "M4")
@pytest.mark.parametrize(
    ("fault", "kind", "status"),
    [
        ("rate_limited", anthropic.RateLimitError, "429"),
        ("overloaded", anthropic.APIStatusError, "529"),
        ("server_error", anthropic.InternalServerError, "500"),
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
    used = way.ask().usage
    with pytest.raises(kind):
        way.ask(stream=True, **PURPOSE)
    way.ask(**PURPOSE)
    first, failed, last = way.ledger
    assert [one.purpose for one in way.ledger] == ["main", "fork", "fork"]
    assert first.status == last.status == "ok" != failed.status
    assert status in failed.status
    assert (first.output, first.uncached) == (used.output_tokens, used.input_tokens)


CALLS = [{"type": "tool_use", "name": "Read", "input": {}, "id": id} for id in ("t1", "t2")]
T1, T2 = ({"type": "tool_result", "tool_use_id": id, "content": ""} for id in ("t1", "t2"))
TEXT = {"type": "text", "text": "And?"}
MARKED = TEXT | {"cache_control": {"type": "ephemeral"}}


def test_a_malformed_request_is_refused_as_the_service_would() -> None:
    call = {"role": "assistant", "content": CALLS}
    for fault, content in {
        "": [T2, T1, TEXT],
        "t1, t2": [TEXT, T1, T2],
        ": t2": [T1, TEXT, T2],
        "not be empty": "",
        "unexpected tool_use_id": [T1, T2, T1 | {"tool_use_id": "t3"}],
        "at most 4": [T1, T2, *[MARKED] * 5],
    }.items():
        turns = [call, {"role": "user", "content": content}]
        if not fault:
            assert find_fault(ASK | {"messages": [LOOK, *turns]}) == ""
            continue
        with pytest.raises(anthropic.BadRequestError, match=fault):
            Way(port=False).ask(*turns)
    assert "first message" in find_fault(ASK | {"messages": [call]})


REFUSED = """401 {"error": {"type": "authentication_error"}} = accept the key
404 <html><title>Nothing here</title></html> = Nothing here
429 {"error": {"type": "rate_limit_error"}} = Too many requests
500 {"error": "out of memory"} = (500): out of memory
400 {"detail": "prompt is too long: 9 > 8"} = too long
200 {"hello": 1} = cannot be read
200 <html>busy</html> = cannot be read"""


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_person_is_told_what_a_live_server_refused(house: House) -> None:
    server = ModelServer(house.model).start()
    respond = house.model.respond
    for line in [*REFUSED.split("\n"), "200  = ANTHROPIC_BASE_URL"]:
        (status, body), said = line[:-1].split(" = ")[0].split(" ", 1), line.split(" = ")[1]
        kind = {"content-type": "text/html" if "<" in body else "application/json"}
        sent = httpx2.Response(int(status), text=body, headers=kind)
        if not body:
            server.stop()
        client = make_runtime(choose_model("live", base_url=server.url)).client
        house.model.respond = respond  # type: ignore[method-assign]
        live = house.runtime(client=client.with_options(max_retries=0))
        house.model.respond = lambda *_, sent=sent: sent  # type: ignore[method-assign, misc]
        [told] = talk(house.harness(f"s{len(line)}", runtime=live), "I prefer tabs.")
        assert (said in told.error, "\n" in told.error) == (True, False), line
    assert house.files() == {}


def test_a_known_model_has_a_price_and_a_replay_costs_nothing() -> None:
    tokens = {"uncached": 1_000, "created": 2_000, "read": 10_000, "output": 100}
    call = Call("main", "claude-opus-5-5-20260901", STORY_START, STORY_START, **tokens)
    costs = price_table().dollars  # $4, $5, $0.20 and $20 per million
    assert costs([call]) == costs([replace(call, model=ASK["model"])]) == pytest.approx(0.018)
    assert costs([replace(call, model="claude-next-1")]) is None
    assert costs([replace(call, replayed=True)]) == 0
    assert {Settings().main_model, Settings().select_model} <= {*price_table().models}
