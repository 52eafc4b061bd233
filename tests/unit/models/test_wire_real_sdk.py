"""The real SDK against the offline model: in process, and over a loopback socket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

import anthropic
import pydantic
import pytest

from memlab.ledger import Ledger
from memlab.models import FAULTS, OfflineModel, Script
from memlab.models.connect import connect, connect_sync
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
STORY = Script.model_validate({"title": "two reads", "main": [TURN]})


class Answer(pydantic.BaseModel):
    title: str
    pages: int
    tags: list[str]


@pytest.fixture(params=["in process", "loopback"])
def way(request: pytest.FixtureRequest) -> Iterator[dict[str, Any]]:
    """How a client reaches the model: the arguments to connect with, and the model."""
    model = OfflineModel(scripts=[STORY])
    if request.param == "in process":
        yield {"args": {"mode": "offline", "model": model}, "model": model}
        return
    server = ModelServer(model).start()
    yield {"args": {"mode": "live", "base_url": server.url, "environ": {}}, "model": model}
    server.stop()


@pytest.fixture
def client(way: dict[str, Any]) -> Iterator[anthropic.Anthropic]:
    with connect_sync(**way["args"]).with_options(max_retries=0, timeout=2.0) as client:
        yield client


def run_async(way: dict[str, Any], use: Any) -> Any:
    async def run() -> Any:
        async with connect(**way["args"]).with_options(max_retries=0, timeout=2.0) as client:
            return await use(client)

    return asyncio.run(run())


class TestCalls:
    def test_create(self, client: anthropic.Anthropic) -> None:
        answer = client.messages.create(**ASK)
        assert answer.stop_reason == "tool_use"
        assert [block.type for block in answer.content] == ["text", "tool_use", "tool_use"]
        assert answer.usage.input_tokens > 0
        assert answer.usage.output_tokens > 1

    @pytest.mark.behaviour("M2")
    def test_streaming_arrives_in_pieces_and_adds_up_to_the_same_message(
        self, client: anthropic.Anthropic
    ) -> None:
        whole = client.messages.create(**ASK)
        with client.messages.stream(**ASK) as stream:
            kinds = [event.type for event in stream]
            streamed = stream.get_final_message()
        assert kinds[0] == "message_start"
        assert kinds[-1] == "message_stop"
        assert kinds.count("input_json") >= 2
        assert [block.to_dict() for block in streamed.content] == [
            block.to_dict() for block in whole.content
        ]
        assert streamed.usage.output_tokens == whole.usage.output_tokens
        assert streamed.stop_reason == whole.stop_reason

    def test_parallel_tools_and_the_turn_after_them(self, client: anthropic.Anthropic) -> None:
        first = client.messages.create(**ASK)
        calls = [block for block in first.content if block.type == "tool_use"]
        assert len({block.id for block in calls}) == 2
        assert calls[0].input == {"file_path": "~/tidebook/a.py", "note": "ünïcode"}
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "…"} for block in calls
        ]
        turn = [
            *ASK["messages"],
            {"role": "assistant", "content": first.content},
            {"role": "user", "content": results},
        ]
        second = client.messages.create(**{**ASK, "messages": turn})
        assert second.content[0].text == "Done."  # type: ignore[union-attr]
        assert second.stop_reason == "end_turn"
        with pytest.raises(anthropic.BadRequestError, match="without tool_result"):
            client.messages.create(
                **{**ASK, "messages": [*turn[:2], {"role": "user", "content": "go on"}]}
            )

    def test_parse_gives_the_schema_it_was_asked_for(self, client: anthropic.Anthropic) -> None:
        parsed = client.messages.parse(**ASK, output_format=Answer).parsed_output
        assert isinstance(parsed, Answer)

    def test_count_tokens_agrees_with_usage(self, client: anthropic.Anthropic) -> None:
        counted = client.messages.count_tokens(model=ASK["model"], messages=ASK["messages"])
        assert counted.input_tokens == client.messages.create(**ASK).usage.input_tokens

    def test_async_create_and_stream(self, way: dict[str, Any]) -> None:
        async def use(client: anthropic.AsyncAnthropic) -> tuple[str, str]:
            created = await client.messages.create(**ASK)
            async with client.messages.stream(**ASK) as stream:
                streamed = await stream.get_final_message()
            return created.content[0].text, streamed.content[0].text  # type: ignore[union-attr]

        assert run_async(way, use) == ("I will read both.", "I will read both.")

    def test_a_long_answer_is_cut_at_max_tokens(self, client: anthropic.Anthropic) -> None:
        answer = client.messages.create(**{**ASK, "max_tokens": 2})
        assert answer.stop_reason == "max_tokens"


WEATHER = {
    "name": "weather",
    "input_schema": {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 2},
            "unit": {"$ref": "#/$defs/unit"},
        },
        "required": ["city", "days", "unit"],
        "$defs": {"unit": {"enum": ["C", "F"]}},
    },
}
NOTE = {"role": "system", "content": [{"type": "text", "text": "# Environment\nLinux"}]}


class TestWhatOtherClientsSend:
    @pytest.mark.parametrize("note", [NOTE, {"role": "system", "content": "Be short."}])
    def test_a_system_message_may_come_anywhere_after_the_first(
        self, client: anthropic.Anthropic, note: Any
    ) -> None:
        first = client.messages.create(**{**ASK, "messages": [*ASK["messages"], note]})
        assert first.content[0].text == "I will read both.", "the person's words decide"  # type: ignore[union-attr]
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "…"}
            for block in first.content
            if block.type == "tool_use"
        ]
        called = {"role": "assistant", "content": first.content}
        answered = {"role": "user", "content": results}
        for turn in ([called, answered, note], [called, note, answered]):
            messages = [*ASK["messages"], note, *turn]
            second = client.messages.create(**{**ASK, "messages": messages})
            assert second.content[0].text == "Done."  # type: ignore[union-attr]
        with pytest.raises(anthropic.BadRequestError, match="first message"):
            client.messages.create(**{**ASK, "messages": [note, *ASK["messages"]]})

    @pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "weather"}])
    @pytest.mark.parametrize("words", ["Hello.", "Look at two files."])
    def test_a_demanded_tool_is_called_with_input_that_fits_its_schema(
        self, client: anthropic.Anthropic, choice: Any, words: str
    ) -> None:
        messages = [{"role": "user", "content": words}]
        asked = {**ASK, "messages": messages, "tools": [WEATHER], "tool_choice": choice}
        with client.messages.stream(**asked) as stream:
            answer = stream.get_final_message()
        assert answer.stop_reason == "tool_use"
        (call,) = answer.content
        assert (call.name, call.input) == (  # type: ignore[union-attr]
            "weather",
            {"city": "(the stand-in)", "days": 2, "unit": "C"},
        )

    def test_no_tool_is_called_where_none_may_be(self, client: anthropic.Anthropic) -> None:
        answer = client.messages.create(**ASK, tool_choice={"type": "none"})
        assert [block.type for block in answer.content] == ["text"]
        assert answer.stop_reason == "end_turn"

    def test_a_tool_that_is_already_called_is_not_replaced(
        self, client: anthropic.Anthropic
    ) -> None:
        read = {"name": "Read", "input_schema": {"type": "object"}}
        plain = client.messages.create(**ASK, tools=[read])
        forced = client.messages.create(**ASK, tools=[WEATHER, read], tool_choice={"type": "any"})
        assert forced.content == plain.content

    @pytest.mark.parametrize("streamed", [False, True])
    def test_an_answer_ends_before_the_first_stop_sequence(
        self, client: anthropic.Anthropic, streamed: bool
    ) -> None:
        asked = {**ASK, "stop_sequences": ["both", "read", "I will read both, twice"]}
        if streamed:
            with client.messages.stream(**asked) as stream:
                answer = stream.get_final_message()
        else:
            answer = client.messages.create(**asked)
        assert (answer.stop_reason, answer.stop_sequence) == ("stop_sequence", "read")
        assert [block.text for block in answer.content] == ["I will "]  # type: ignore[union-attr]
        whole = client.messages.create(**ASK, stop_sequences=["not in it"])
        assert (whole.stop_reason, whole.stop_sequence) == ("tool_use", None)

    @pytest.mark.parametrize(
        ("given", "what"),
        [
            ({"tool_choice": {"type": "tool", "name": "x"}, "tools": [WEATHER]}, "no tool 'x'"),
            ({"tool_choice": {"type": "any"}}, "together with tools"),
            ({"tool_choice": {"type": "some"}}, "must be one of auto, any, tool, none"),
            ({"stop_sequences": ["ok", " "]}, "stop_sequences.1"),
        ],
    )
    def test_what_cannot_be_obeyed_is_refused(
        self, client: anthropic.Anthropic, given: dict[str, Any], what: str
    ) -> None:
        with pytest.raises(anthropic.BadRequestError, match=what):
            client.messages.create(**ASK, **given)

    def test_anything_else_is_a_404(self, client: anthropic.Anthropic) -> None:
        with pytest.raises(anthropic.NotFoundError) as raised:
            client.post("/v1/nothing", body={}, cast_to=object)
        assert raised.value.type == "not_found_error"

    def test_the_older_key_for_a_schema_is_read_too(self, client: anthropic.Anthropic) -> None:
        form = {"type": "json_schema", "schema": Answer.model_json_schema()}
        answer = client.messages.create(**ASK, extra_body={"output_format": form})
        Answer.model_validate_json(answer.content[0].text)  # type: ignore[union-attr]


class Shape(pydantic.BaseModel):
    """Every limit that a schema made by pydantic can put on a value."""

    rating: int = pydantic.Field(ge=3, le=10)
    below: int = pydantic.Field(lt=-4)
    above: float = pydantic.Field(gt=0)
    letters: str = pydantic.Field(min_length=20, max_length=30)
    code: str = pydantic.Field(max_length=4)
    at: datetime
    kind: Literal["a", "b"]
    answers: list[Answer] = pydantic.Field(min_length=2)
    either: Answer | int
    maybe: str | None


def test_a_demanded_call_fits_what_pydantic_asks_for() -> None:
    tool = {"name": "shape", "input_schema": Shape.model_json_schema()}
    with connect_sync(mode="offline", model=OfflineModel()) as client:
        answer = client.messages.create(**ASK, tools=[tool], tool_choice={"type": "any"})
    Shape.model_validate(answer.content[0].input)  # type: ignore[union-attr]


def test_a_schema_that_contains_itself_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    tool = {"name": "node", "input_schema": node}
    with connect_sync(mode="offline", model=OfflineModel()) as client:
        answer = client.messages.create(**ASK, tools=[tool], tool_choice={"type": "any"})
    assert answer.stop_reason == "tool_use"


RAISED: dict[str, tuple[type[Exception], int | None]] = {
    "rate_limited": (anthropic.RateLimitError, 429),
    "overloaded": (anthropic.APIStatusError, 529),
    "server_error": (anthropic.InternalServerError, 500),
    "bad_request": (anthropic.BadRequestError, 400),
    "timeout": (anthropic.APITimeoutError, None),
    "connect_error": (anthropic.APIConnectionError, None),
}


class TestFaults:
    @pytest.mark.behaviour("M2")
    @pytest.mark.parametrize("fault", sorted(RAISED))
    def test_a_call_that_fails_raises_the_sdks_own_error(
        self, fault: str, client: anthropic.Anthropic, way: dict[str, Any]
    ) -> None:
        way["model"].faults.add(fault)
        kind, status = RAISED[fault]
        with pytest.raises(kind) as raised:
            client.with_options(timeout=0.3).messages.create(**ASK)
        assert getattr(raised.value, "status_code", None) == status
        assert client.messages.create(**ASK).stop_reason == "tool_use"

    @pytest.mark.parametrize("fault", sorted(RAISED))
    def test_async_too(self, fault: str, way: dict[str, Any]) -> None:
        way["model"].faults.add(fault)

        async def use(client: anthropic.AsyncAnthropic) -> None:
            with pytest.raises(RAISED[fault][0]):
                await client.with_options(timeout=0.3).messages.create(**ASK)

        run_async(way, use)

    def test_a_cut_stream_loses_the_rest(
        self, client: anthropic.Anthropic, way: dict[str, Any]
    ) -> None:
        way["model"].faults.add("cut_stream", times=2)
        seen: list[str] = []
        with (
            pytest.raises(Exception, match="peer closed connection") as raised,
            client.messages.stream(**ASK) as stream,
        ):
            seen.extend(event.type for event in stream)
        assert type(raised.value).__module__.split(".")[0] in ("httpx2", "anthropic")
        assert "message_stop" not in seen
        with pytest.raises(anthropic.APIConnectionError):
            client.messages.create(**ASK)

    def test_an_error_event_in_mid_stream_is_an_error_with_status_200(
        self, client: anthropic.Anthropic, way: dict[str, Any]
    ) -> None:
        way["model"].faults.add("stream_error")
        with (
            pytest.raises(anthropic.APIStatusError) as raised,
            client.messages.stream(**ASK) as stream,
        ):
            stream.get_final_message()
        assert raised.value.status_code == 200
        assert "overloaded" in str(raised.value)

    @pytest.mark.parametrize("streamed", [False, True])
    def test_a_refusal_is_a_well_formed_answer(
        self, client: anthropic.Anthropic, way: dict[str, Any], streamed: bool
    ) -> None:
        way["model"].faults.add("refusal")
        if streamed:
            with client.messages.stream(**ASK) as stream:
                answer = stream.get_final_message()
        else:
            answer = client.messages.create(**ASK)
        assert (answer.stop_reason, answer.content) == ("refusal", [])

    @pytest.mark.parametrize("fault", ["truncated", "bad_json"])
    def test_json_that_is_none_raises_in_parse(
        self, fault: str, client: anthropic.Anthropic, way: dict[str, Any]
    ) -> None:
        way["model"].faults.add(fault)
        with pytest.raises(pydantic.ValidationError):
            client.messages.parse(**ASK, output_format=Answer)

    def test_retries_get_through_a_passing_fault(
        self, client: anthropic.Anthropic, way: dict[str, Any]
    ) -> None:
        way["model"].faults.add("overloaded", times=2)
        answer = client.with_options(max_retries=2).messages.create(**ASK)
        assert answer.stop_reason == "tool_use"
        assert [seen.fault for seen in way["model"].requests] == ["overloaded", "overloaded", ""]

    def test_a_fault_for_one_purpose_spares_the_others(
        self, client: anthropic.Anthropic, way: dict[str, Any]
    ) -> None:
        way["model"].faults.add("overloaded", purpose="select")
        client.messages.create(**ASK)
        with pytest.raises(anthropic.APIStatusError):
            client.messages.create(**ASK, extra_headers={"X-Memlab-Purpose": "select"})

    def test_a_header_asks_for_a_fault_too(self, client: anthropic.Anthropic) -> None:
        with pytest.raises(anthropic.RateLimitError):
            client.messages.create(**ASK, extra_headers={"X-Memlab-Fault": "rate_limited"})

    def test_every_fault_there_is_stands_in_a_test_above(self) -> None:
        streamed = {"cut_stream", "stream_error"}
        formed = {"refusal", "truncated", "bad_json"}
        assert set(FAULTS) == set(RAISED) | streamed | formed


BAD = [
    ({"max_tokens": 0}, "max_tokens"),
    ({"messages": []}, "at least one message"),
    ({"messages": [{"role": "assistant", "content": "hi"}]}, "first message must use the user"),
    ({"messages": [{"role": "user", "content": ""}]}, "must not be empty"),
    ({"messages": [{"role": "user", "content": [{"type": "text", "text": " "}]}]}, "not be empty"),
    ({"messages": [{"role": "robot", "content": "hi"}]}, "must be one of user, assistant, system"),
    (
        {
            "messages": [
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "x", "content": "hi"}],
                }
            ]
        },
        "unexpected tool_use_id",
    ),
    (
        {
            "system": [
                {"type": "text", "text": str(n), "cache_control": {"type": "ephemeral"}}
                for n in range(5)
            ]
        },
        "at most 4",
    ),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_a_malformed_request_is_refused_as_the_service_would(
    change: dict[str, Any], message: str, client: anthropic.Anthropic
) -> None:
    with pytest.raises(anthropic.BadRequestError, match=message):
        client.messages.create(**{**ASK, **change})


@pytest.mark.behaviour("M4")
def test_the_ledger_sees_every_call_and_its_fate(way: dict[str, Any]) -> None:
    ledger = Ledger()
    client = connect_sync(**way["args"], ledger=ledger).with_options(max_retries=0, timeout=0.3)
    whole = client.messages.create(**ASK)
    with client.messages.stream(**ASK, extra_headers={"X-Memlab-Purpose": "fork"}) as stream:
        stream.get_final_message()
    for fault in ("overloaded", "stream_error", "connect_error", "timeout"):
        way["model"].faults.add(fault)
        with (
            pytest.raises(anthropic.APIError),
            client.messages.stream(**ASK) as stream,
        ):
            stream.get_final_message()
    calls = list(ledger)
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
